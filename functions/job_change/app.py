"""Jobs may have moved on: note what PAI says of those that are active."""

from junbi.events.pai_job import parse
from junbi.pipeline.follow import follow
from junbi.pipeline.note import refuse
from junbi.runtime import create_app

app = create_app("job_change", parse=parse, handle=follow, refuse=refuse)
