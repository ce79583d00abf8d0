"""A registry tells of a push of an image: note what it points at."""

from functools import partial

from junbi.pipeline import image_door
from junbi.pipeline.receive import take
from junbi.runtime import create_app
from junbi.runtime.webhook import webhook

app = create_app("image_push", routes=webhook(partial(take, image_door)))
