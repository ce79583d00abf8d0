"""``junbi close``: says that everything of an upload is there."""

from __future__ import annotations

import click


@click.command("close")
@click.argument("upload")
def command(upload: str) -> int:
    """Say that everything of UPLOAD is there: oss://bucket/path/version/, or <dataset>:bucket/path/version/.

    For datasets with complete: {call: true}. What lies there is listed next, and becomes a dataset version.
    """
    import getpass

    from junbi.core.facts import ArrivalState
    from junbi.ledger.ledger import open_ledger  # the engine
    from junbi.pipeline import call

    arrival = call.close(open_ledger(), upload, f"{getpass.getuser()} (command line)")
    if arrival.state is ArrivalState.CLOSED:
        click.echo(f"{arrival.uri} was closed before; what lies there now is compared with that.")
    else:
        click.echo(f"{arrival.uri} is being closed.")
    return 0
