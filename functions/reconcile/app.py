"""Work is due: close arrivals, register revisions, submit launches."""

from junbi.pipeline.work import work
from junbi.runtime import create_app

app = create_app("reconcile", handle=work)
