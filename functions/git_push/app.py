"""A Git host tells of a push: note what it points at."""

from functools import partial

from junbi.pipeline import git_door
from junbi.pipeline.receive import take
from junbi.runtime import create_app
from junbi.runtime.webhook import webhook

app = create_app("git_push", routes=webhook(partial(take, git_door)))
