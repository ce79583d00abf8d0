"""Quotas may have changed: read them, and note what did."""

from junbi.events.action_trail import parse
from junbi.pipeline.note import refuse
from junbi.pipeline.quotas import quota_change
from junbi.runtime import create_app

app = create_app("quota_change", parse=parse, handle=quota_change, refuse=refuse)
