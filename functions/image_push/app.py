"""A registry tells of a push of an image, or EventBridge does for it: note what it points at."""

from functools import partial

from junbi.pipeline import bridged, image_door
from junbi.pipeline.note import refuse
from junbi.pipeline.receive import take
from junbi.runtime import create_app
from junbi.runtime.webhook import webhook

app = create_app(
    "image_push",
    parse=partial(bridged.parse, image_door),
    handle=partial(bridged.take, image_door),
    refuse=refuse,
    routes=webhook(partial(take, image_door)),
)
