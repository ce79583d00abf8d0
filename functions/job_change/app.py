"""Jobs may have moved on: note what PAI says of those that are active."""

from junbi.pipeline.follow import follow
from junbi.runtime import create_app

app = create_app("job_change", handle=follow)
