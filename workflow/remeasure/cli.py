"""The command `remeasure`."""

import datetime
import math
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remeasure.bench.base.errors import UserError, advice, one_line
from remeasure.bench.base.interruption import Interrupted, end_with_parent, raise_when_interrupted
from remeasure.rules_cli import app as rules
from remeasure.try_cli import TryCommand, try_

if TYPE_CHECKING:
    from remeasure.bench.campaign.build import Build

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure IPsec scenarios on a testbed, and keep their data.",
)
app.add_typer(rules)
app.command("try", cls=TryCommand)(try_)
ProfileOption = Annotated[str | None, typer.Option(help="a name of config/profiles.yaml")]
TestbedOption = Annotated[str | None, typer.Option(help="default: as in config/config.yaml")]
Seed = Annotated[
    int | None, typer.Option(help="seed of the order of trials; default: as in config/config.yaml")
]


def _finite(option: typer.CallbackParam, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise UserError(f"--{option.name}: found {value}, expected a finite number")
    return value


def _settings(testbed: str | None, seed: int | None) -> "Build":
    """config/config.yaml, with a testbed and a seed in place of its own."""
    from remeasure.bench.campaign.build import read_build

    given = {"testbed": testbed, "seed": seed}
    return read_build().model_copy(update={k: v for k, v in given.items() if v is not None})


@app.command()
def lab(
    topology: str,
    testbed: str = "lab",
    script: Annotated[
        Path | None, typer.Option(help="steps for testbed virtual (docs/virtual-time.md)")
    ] = None,
) -> None:
    """Open a lab and a shell in it, with ssh to every host, until the shell ends.

    In virtual time a script takes the place of the shell.
    """
    if script:
        from remeasure.bench.measure.lab_script import run_script

        run_script(topology, testbed, script)
        return
    from remeasure.bench.lab.lab import open_shell

    open_shell(topology, testbed)


@app.command()
def check(
    testbed: str,
    topology: Annotated[
        str, typer.Option(help="the hosts take its roles; a lab is started with it")
    ] = "site-to-site",
    scenario: Annotated[
        str | None, typer.Option(help="only the needs of this scenario, on its topology")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Check every host of TESTBED for the needs of all scenarios, or one, and give the reasons for
    which machines would be refused."""
    from remeasure.bench.measure.ready import report

    sys.exit(report(testbed, topology, scenario, as_json))


@app.command()
def begin(
    campaign: str,
    scenarios: Annotated[list[str], typer.Argument(metavar="SCENARIO...")],
    profile: ProfileOption = None,
    testbed: TestbedOption = None,
    seed: Seed = None,
    build: Annotated[
        bool, typer.Option("--build", help="build image and kernels, too, before the first block")
    ] = False,
) -> None:
    """Begin CAMPAIGN, or more scenarios of it: freeze the common settings of its blocks, make its
    credentials.

    `measure` does the same for its own scenario. For several machines, begin once before them.
    """
    raise_when_interrupted()
    from remeasure.bench.measure.begin import begin_campaign

    own = _settings(testbed, seed)
    print(begin_campaign(campaign, scenarios, profile, own.testbed, own.seed, build))


@app.command()
def plan(
    campaign: str,
    profile: ProfileOption = None,
    seed: Seed = None,
    campaigns: Annotated[int, typer.Option(min=1, help="number of simulated campaigns")] = 10,
) -> None:
    """Plan CAMPAIGN in rounds: blocks in their order, minutes, megabytes, expected widths of
    intervals, the statements that it should decide, and the chances of our own predictions."""
    from remeasure.paper.publish.planning.plan_text import planned

    for part in planned(campaign, profile, _settings(None, seed).seed, campaigns):
        print(part, end="\n\n", flush=True)


@app.command()
def measure(
    campaign: str,
    scenario: str,
    block: int,
    profile: ProfileOption = None,
    testbed: TestbedOption = None,
    seed: Seed = None,
    hours: Annotated[
        float | None,
        typer.Option(
            callback=_finite, help="longest time for the probes; default: as in config/config.yaml"
        ),
    ] = None,
    keep_staging: Annotated[
        bool,
        typer.Option(
            "--keep-staging", help="keep the folder of trials next to the block's archive"
        ),
    ] = False,
) -> None:
    """Measure one block of SCENARIO into data/raw/CAMPAIGN, or its missing trials."""
    raise_when_interrupted()
    from remeasure.bench.measure.block import BlockOrder, measure_block

    own = _settings(testbed, seed)
    most = own.hours if hours is None else hours
    order = BlockOrder(
        campaign, scenario, block, profile, own.testbed, own.seed, most, keep_staging
    )
    print(measure_block(order))


@app.command(name="round")
def round_(
    campaign: str,
    profile: ProfileOption = None,
    testbed: TestbedOption = None,
    seed: Seed = None,
    wait: Annotated[
        float,
        typer.Option(
            min=0, callback=_finite, metavar="MINUTES", help="for a quiet machine, per block"
        ),
    ] = 30,
    commit: Annotated[
        bool, typer.Option("--commit", help="commit each finished block to git")
    ] = False,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="begin no block that may not end by 14:20, or by a date"),
    ] = None,
) -> None:
    """Measure the next round of CAMPAIGN, or the rest of it, when nothing disturbs this machine.

    If the first round was measured on another kind of machine, this measures CAMPAIGN-b, by the
    same plan.
    """
    raise_when_interrupted()
    from remeasure.bench.measure.begin import RoundOrder, moment_of
    from remeasure.bench.measure.round import measure_round

    own = _settings(testbed, seed)
    end_ns = moment_of(until, datetime.datetime.now().astimezone()) if until else math.inf
    order = RoundOrder(campaign, profile, own.testbed, own.seed, wait, commit, end_ns)
    print(measure_round(order))


@app.command()
def codebook(path: Path = Path("data/README.md")) -> None:
    """Make the codebook's tables again: columns, metrics and kinds of checks."""
    from remeasure.paper.publish.codebook import update

    update(path)


@app.command()
def readme(path: Path = Path("README.md"), handed: Path = Path("results/handed")) -> None:
    """Write the findings into the README, docs/guide.md and docs/proposals again, from results of
    notebooks."""
    from remeasure.paper.notebook.preview import require_no_preview
    from remeasure.paper.publish.findings import pages_in_docs, updated

    folders = sorted(handed.glob("*"))
    require_no_preview(folders)
    path.write_text(updated(path.read_text(), path, folders))
    for page, text in pages_in_docs(folders).items():
        page.write_text(text)


@app.command()
def tables(results: Path = Path("results")) -> None:
    """Copy the tables that were built into data/tidy."""
    from remeasure.paper.notebook.preview import require_no_preview
    from remeasure.paper.publish.dataset.tidy_tables import copy_tables

    require_no_preview((results / "handed").glob("*"))
    for path in copy_tables(results):
        print(path)


@app.command()
def notebooks(results: Path = Path("results")) -> None:
    """Write the outputs that were built into the notebooks in notebooks/, and their index."""
    from remeasure.paper.notebook.preview import require_no_preview
    from remeasure.paper.publish.notebook_files import write_notebooks

    require_no_preview((results / "handed").glob("*"))
    for path in write_notebooks(results):
        print(path.relative_to(Path.cwd()))


@app.command()
def site(
    folder: Path = Path("results/site"),
    port: Annotated[int, typer.Option(help="0: any that is free")] = 8000,
) -> None:
    """Serve the site on this machine until interrupted."""
    from remeasure.paper.publish.site.serve import serve

    serve(folder, port)


@app.command()
def compare(first: str, second: str) -> None:
    """Set two campaigns side by side, as a page: cells, verdicts, and differences in how they were
    made."""
    from remeasure.paper.publish.compare import compare_campaigns

    print(compare_campaigns(first, second))


@app.command()
def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="a claim's id; a number's macro; TABLE:ROW:COLUMN; FIGURE:column=value,..."
        ),
    ],
    rows: Annotated[int, typer.Option(min=1, help="number of observations to show")] = 10,
    results: Annotated[Path, typer.Option(help="results/CAMPAIGN: of your own")] = Path("results"),
    as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Walk from a result in the paper back to the lines of raw logs behind it."""
    from remeasure.paper.publish.trace import show
    from remeasure.paper.publish.trace.find import Walks

    found = Walks(results=results).explain(name, rows)
    print(show.as_json(found) if as_json else show.as_text(found, rows))


@app.command()
def schema() -> None:
    """Write config/schemas, by which editors know the fields of YAML files."""
    from remeasure.paper.publish.schemas import write_schemas

    for path in write_schemas():
        print(path)


@app.command()
def release(campaign: str) -> None:
    """Seal CAMPAIGN: write its manifest. From then on it is never measured, only verified."""
    from remeasure.bench.campaign.release import write_manifest
    from remeasure.bench.campaign.rounds import kinds_in_words

    print(write_manifest(campaign), *kinds_in_words(campaign), sep="\n")


@app.command()
def register(
    name: Annotated[str, typer.Argument(metavar="CAMPAIGN")],
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="register code instead, by file: write config/rules-VERSION.json for campaigns "
            "whose name ends in the VERSION given as CAMPAIGN",
        ),
    ] = False,
) -> None:
    """Judge CAMPAIGN by the commit at which it began, and by the present one, and print which
    verdicts differ."""
    raise_when_interrupted()
    if write:
        from remeasure.bench.base.worktree import software_commit
        from remeasure.bench.campaign.rules_file import write_rules

        print(write_rules(name, software_commit()))
        return
    from remeasure.paper.publish.decided_then import compare_verdicts

    print(compare_verdicts(name))


@app.command()
def repeat(
    campaign: str,
    scenario: str,
    block: int,
    testbed: Annotated[str, typer.Option(help="testbed of the campaign")] = "virtual",
    with_present: Annotated[
        bool, typer.Option(help="measure by the code that is here, not by the block's commit")
    ] = False,
) -> None:
    """Measure a block in virtual time again, by the commit that measured it, and compare both byte
    by byte."""
    raise_when_interrupted()
    from remeasure.bench.measure.repeat import repeat_block

    print(repeat_block(campaign, scenario, block, testbed, with_present))


@app.command()
def verify(campaign: str) -> None:
    """Compare every file of CAMPAIGN with its manifest."""
    from remeasure.bench.campaign.release import verify_campaign

    print(f"{campaign}: {verify_campaign(campaign)} files as released")


def main() -> None:
    """Run the command line. A UserError, or an error of the machine, is printed as one line, and
    the exit status is 1; after a signal one line is printed, and the status is the signal's."""
    if end_with_parent():
        raise_when_interrupted()
    try:
        for before, word in pairwise(sys.argv):
            if re.fullmatch("-[0-9]+", word) and not before.startswith("-"):
                raise UserError(f"found {word}, expected a name, or a number from 1 on")
        app()
    except (UserError, OSError) as error:
        line = advice(error) if isinstance(error, OSError) else error
        if not line:
            raise
        print(f"remeasure: {one_line(line)}", file=sys.stderr)
        sys.exit(1)
    except Interrupted as stop:
        print(f"remeasure: {stop}", file=sys.stderr)
        sys.exit(stop.status)
