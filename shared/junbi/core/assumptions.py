"""What we hold to be true of PAI and could not check without a live account, each with what breaks if it is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Settling:
    """When "not in the listing" means "was never created".

    Assumed: PAI refuses a request whose signed date is older than ``signature_validity``, and ListJobs,
    ListDatasets and ListDatasetVersions show what was created within ``list_lag``. ``skew`` is how far the clock
    of the function that signed may be from PAI's.

    How to check: send a request dated 16 minutes ago (it must be refused); create a job and list until it shows.
    If it is wrong: a create whose answer was lost may be carried out twice. The doubles carry the same
    ``junbi.launch`` tag, so they can be found and stopped.
    """

    signature_validity: timedelta = timedelta(minutes=15)
    skew: timedelta = timedelta(minutes=1)
    list_lag: timedelta = timedelta(minutes=1)

    @property
    def time(self) -> timedelta:
        """How long after a try was stored its effect must have become visible."""
        return self.signature_validity + self.skew + self.list_lag


#: Assumed: tags given in CreateJob's ``Settings.Tags`` can be read back in ListJobs. How to check: create a job and
#: list it. If it is wrong: a job whose CreateJob lost its answer is not found again, and a second one is created
#: after settling. These are the tags.
TAG_DEPLOYMENT = "junbi.deployment"
TAG_LAUNCH = "junbi.launch"
TAG_IDENTITY = "junbi.identity"
TAG_ATTEMPT = "junbi.attempt"

#: Assumed: a quota takes jobs while its status is one of these. The sources name Ready and Creating, others Enabled and
#: Initializing; no page lists them all. How to check: read a quota that jobs run in. If it is wrong: launches for a
#: quota in another usable status wait with QuotaNotReady, which names that status.
USABLE_QUOTA = frozenset({"Ready", "Enabled"})

#: Assumed: a job that has left PAI's queue for so long is part of the ``AllocatedQuota`` of its quota and of every
#: quota above it. How to check: start a job in an empty nested quota, and read it and its parent until both show it. If
#: it is wrong: a launch that waits for room here may be let in although there is none, and waits in PAI's queue.
QUOTA_LAG = timedelta(minutes=1)
