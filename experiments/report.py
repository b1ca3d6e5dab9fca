"""Put the tables of all experiments into docs/records/results.md, between its marks."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from math import exp, inf, log
from pathlib import Path
from statistics import mean
from textwrap import fill

import cluster
import harness
from markdown_tables import WIDTH, markdown
from plots import FIGURES, PLOTS, distinct, grouped
from scaling import PIECES, VARIED, exponents

DOCUMENT = harness.HERE.parent / "docs" / "records" / "results.md"


def main(arguments: Sequence[str] | None = None) -> None:
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--results", type=Path, default=harness.RESULTS)
    made.add_argument("--document", type=Path, default=DOCUMENT)
    made.add_argument("--plots", type=Path, default=PLOTS)
    options = made.parse_args(arguments)
    text = options.document.read_text()
    for name, write in SECTIONS.items():
        rows = harness.read(options.results / f"{name}.csv")
        lines = [*write(rows), "", wrapped(provenance(rows))] if rows else ["Not measured yet."]
        text = filled(text, name, "\n".join([*lines, *figures(name, options.plots)]))
    options.document.write_text(text)


def figures(name: str, folder: Path) -> Iterator[str]:
    """Yield links to the figures of a section that have been drawn."""
    for figure, (source, _) in FIGURES.items():
        if source == name and (folder / f"{figure}.png").exists():
            yield f"\n![{figure.replace('_', ' ')}](../../experiments/plots/{figure}.png)"


def filled(text: str, name: str, section: str) -> str:
    """Return the document with one section replaced; it lies between two comments."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{section}\n{end}{after}"


def wrapped(text: str) -> str:
    """Return a paragraph, or an item of a list, in lines that fit a screen."""
    return fill(text, WIDTH, subsequent_indent="  " if text.startswith("- ") else "")


def provenance(rows: list[harness.Row]) -> str:
    """Say who measured when."""
    dates = sorted(str(row["date"]) for row in rows)
    machines = sorted({str(row["machine"]).split("; load")[0] for row in rows})
    loads = [int(str(row["machine"]).rsplit(" ", 1)[1]) for row in rows]
    versions = sorted({str(row["version"]) for row in rows})
    return (
        f"({len(rows)} measurements, {dates[0]} to {dates[-1]} UTC, samrule {', '.join(versions)}, "
        f"{', '.join(machines)}, load {min(loads)} to {max(loads)}.)"
    )


def datasets_section(rows: list[harness.Row]) -> Iterator[str]:
    header = ("table", "rows (paper)", "rows here", "features (paper, with label)")
    header += ("conditions here", "copies", "k", "positive", "m^ at (0.5, 0.025)")
    names = ("table", "paper_rows", "rows", "paper_features", "conditions", "copies")
    names += ("max_rules", "positive_share", "paper_sample_size")
    yield from table(header, ([row[name] or "" for name in names] for row in rows))
    yield ""
    for row in rows:
        if row["note"]:
            yield wrapped(f"- {row['table']}: {row['note']}.")


def exact_section(rows: list[harness.Row]) -> Iterator[str]:
    """Yield a line per table and strategy at (0.5, 0.025), and what holds over all settings."""
    header = ("table", "optimum", "strategy", "runs", "training rows", "m^ / rows")
    header += ("mean loss", "largest deviation", "allowed", "mean processor time, s")
    lines = []
    ratios = []
    for (name, strategy), runs in grouped(at_standard(rows), ("table", "strategy")):
        used, asked, optimum = (
            average(runs, "train_rows"),
            runs[0]["paper_rows"],
            runs[0]["optimum"],
        )
        if strategy == "progressive":
            ratios.append(asked / used)
        lines.append(
            (
                *(
                    name,
                    f"{optimum:.6f}",
                    strategy,
                    len(runs),
                    f"{used:,.0f}",
                    f"{asked / used:.1f}",
                ),
                f"{average(runs, 'loss'):.6f}",
                f"{max(run['deviation'] for run in runs):.6f}",
                f"{0.5 * max(optimum, 0.025):.4f}",
                f"{average(runs, 'cpu_seconds'):.2f}",
            )
        )
    yield from table(header, lines)
    yield ""
    broken = sum(row["kept"] == "False" for row in rows)
    certified = sum(row["holds"] == "True" for row in rows)
    share = max(
        row["deviation"] / (row["epsilon"] * max(row["optimum"], row["theta"])) for row in rows
    )
    yield f"- {len(rows)} runs at all settings; promises broken: {broken}; certified: {certified}."
    yield f"- Largest deviation as a share of what the setting allows: {share:.2f}."
    if ratios:
        yield wrapped(
            "- m^ / training rows of the progressive strategy at epsilon 0.5, theta 0.025: "
            f"geometric mean {geometric_mean(ratios):.1f} over {len(ratios)} tables, "
            f"least {min(ratios):.1f}."
        )


def at_standard(rows: list[harness.Row]) -> list[harness.Row]:
    return [row for row in rows if (row["epsilon"], row["theta"]) == (0.5, 0.025)]


def corels_section(rows: list[harness.Row]) -> Iterator[str]:
    header = ("table", "rows", "CORELS", "its processor time, s", "its memory, MB", "its loss")
    header += ("our status", "our time, s", "our loss")
    names = ("table", "rows", "corels_status", "corels_cpu_seconds", "corels_mb", "corels_loss")
    names += ("our_status", "our_seconds", "our_loss")
    yield from table(header, ([short(row[name]) for name in names] for row in rows))


def heuristics_section(rows: list[harness.Row]) -> Iterator[str]:
    """Yield two tables, a line per method and a column per table: losses, and times."""
    tables, methods = distinct(rows, "table"), distinct(rows, "method")
    methods.sort(key=lambda method: method not in OURS)
    cells = dict(grouped(rows, ("method", "table")))
    for title, cell in (("loss", loss_cell), ("processor time, s", time_cell)):
        lines = [[m, *(cell(cells.get((m, t), [])) for t in tables)] for m in methods]
        yield from table((title, *tables), lines)
        yield ""
    yield from verdict(cells, tables)
    yield ""
    versions = dict.fromkeys(
        f"{row['method']} {row['peer_version']}" for row in rows if row["peer_version"]
    )
    yield wrapped(f"Versions: {', '.join(versions)}.")


OURS = ("samrule, exact", "samrule, paper", "samrule")
# Lists of at most k rules of one condition each, as ours; all others may use richer models.
SAME_LISTS = ("greedy", "sbrl", "sbrl, 10 chains", "gosdt")


def verdict(cells: dict[tuple, list[harness.Row]], tables: list[str]) -> Iterator[str]:
    """Yield per table our losses, the least of other lists like ours, and the least of all."""
    header = ("table", *OURS, "best other list like ours")
    header += ("best richer model", "best")
    lines = []
    for name in tables:
        losses = {
            method: average(found, "loss")
            for (method, table), runs in cells.items()
            if table == name and (found := [run for run in runs if run["loss"] is not None])
        }
        ours = [losses.get(method, inf) for method in OURS]
        like_ours = least({m: loss for m, loss in losses.items() if m in SAME_LISTS})
        richer = least({m: x for m, x in losses.items() if m not in (*SAME_LISTS, *OURS)})
        best = least(losses)[0]
        shown = [f"{loss:.4f}" if loss < inf else "" for loss in ours]
        lines.append(
            (name, *shown, *(f"{m} {x:.4f}" if m else "" for m, x in (like_ours, richer)), best)
        )
    yield from table(header, lines)


def least(losses: dict[str, float]) -> tuple[str, float]:
    """Return who has the least loss, and which; nobody if there are none."""
    return min(losses.items(), key=lambda one: one[1], default=("", inf))


def loss_cell(runs: list[harness.Row]) -> str:
    """Return the mean loss; beside it the number of rules where it is known, or what went wrong."""
    found = [run for run in runs if run["loss"] is not None]
    if not found:
        return runs[0]["status"] if runs else ""
    spread = f" ({len(found)} runs)" if len(found) > 1 else ""
    stopped = " (stopped)" if any(run["status"] == "time_limit" for run in found) else ""
    rules = max(run["n_rules"] or 0 for run in found)
    size = f", {rules} rules" if rules else ""
    return f"{average(found, 'loss'):.4f}{size}{spread}{stopped}"


def time_cell(runs: list[harness.Row]) -> str:
    found = [run["cpu_seconds"] for run in runs if run["cpu_seconds"] is not None]
    return f"{mean(found):.1f}" if found else ""


def parameters_section(rows: list[harness.Row]) -> Iterator[str]:
    rows = sorted(rows, key=lambda row: [row[name] for name in ("table", "max_terms", "max_rules")])
    header = ("table", "z", "k", "conjunctions", "m^", "tight", "strategy", "rows used", "loss")
    header += ("processor time, s", "search", "proven epsilon")
    yield from table(
        header,
        (
            (
                *(row["table"], row["max_terms"], row["max_rules"], f"{row['conjunctions']:,}"),
                *(f"{row['paper_rows']:,}", f"{row['tight_rows']:,}", row["strategy"]),
                *(f"{row['train_rows']:,}", f"{row['loss']:.5f}", f"{row['cpu_seconds']:.1f}"),
                *(row["status"], f"{row['achieved_epsilon']:.2f}"),
            )
            for row in rows
        ),
    )


def rules_section(rows: list[harness.Row]) -> Iterator[str]:
    """Yield every list found, most frequent first, with its loss and how often it was found."""
    found = [
        (len(runs), key, runs[0]) for key, runs in grouped(rows, ("table", "strategy", "rules"))
    ]
    found.sort(key=lambda one: (one[1][0], one[1][1], -one[0], one[2]["loss"]))
    for count, (name, strategy, rules), row in found:
        yield wrapped(
            f"- {name}, {strategy}, found {count} times, loss {row['loss']:.6f}, "
            f"similarity {row['similarity']:.2f}: `{rules}`"
        )


def lookalikes_section(rows: list[harness.Row]) -> Iterator[str]:
    header = ("table (generated)", "rows", "runs", "training rows", "m^", "loss", "proven epsilon")
    header += ("time, s", "processor time, s")
    yield from table(
        header,
        (
            (
                *(name, f"{runs[0]['rows']:,}", len(runs), f"{average(runs, 'train_rows'):,.0f}"),
                *(f"{runs[0]['paper_rows']:,}", f"{average(runs, 'loss'):.4f}"),
                f"{max(run['achieved_epsilon'] for run in runs):.2f}",
                *(f"{average(runs, 'seconds'):.1f}", f"{average(runs, 'cpu_seconds'):.1f}"),
            )
            for (name,), runs in grouped(rows, ("table",))
        ),
    )


def scaling_section(rows: list[harness.Row]) -> Iterator[str]:
    header = ("varied", "rows", "columns", "k", "z", "sample", *(f"{p}, s" for p in PIECES))
    header += ("peak MB", "search")
    yield from table(
        header,
        (
            (
                *(row["varied"], f"{row['rows']:,}", row["columns"]),
                *(row["max_rules"], row["max_terms"], f"{row['sample_rows']:,}"),
                *(f"{row[f'{piece}_seconds']:.3f}" for piece in PIECES),
                *(f"{row['peak_mb']:.0f}", row["status"]),
            )
            for row in rows
        ),
    )
    yield ""
    for name in VARIED:
        yield f"- Growth exponents with {name}: {exponents(rows, name)}."


def table(header: Sequence[str], lines) -> Iterator[str]:
    yield markdown([header, *lines])


def average(runs: list[harness.Row], name: str) -> float:
    return mean(run[name] for run in runs)


def geometric_mean(values: list[float]) -> float:
    return exp(mean(map(log, values)))


def short(value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)


SECTIONS: dict[str, Callable[[list[harness.Row]], Iterator[str]]] = {
    "datasets": datasets_section,
    "exact": exact_section,
    "corels": corels_section,
    "heuristics": heuristics_section,
    "parameters": parameters_section,
    "rules": rules_section,
    "lookalikes": lookalikes_section,
    "scaling": scaling_section,
    "cluster": cluster.estimate,
}


if __name__ == "__main__":
    main()
