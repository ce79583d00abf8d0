"""An object landed in a watched bucket: note the arrival."""

from junbi.events import oss
from junbi.pipeline.note import note, refuse
from junbi.runtime import create_app

app = create_app("oss_upload", parse=oss.parse, handle=note, refuse=refuse)
