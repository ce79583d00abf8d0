"""A Git host tells of a push: note what it points at."""

from junbi.pipeline.receive import git_push
from junbi.runtime import create_app
from junbi.runtime.webhook import webhook

app = create_app("git_push", routes=webhook(git_push))
