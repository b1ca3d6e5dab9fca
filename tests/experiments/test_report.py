"""Sections of the document are replaced between their marks, and say what was measured."""

import math

import pytest

from cluster import core_seconds_per_row, estimate
from report import SECTIONS, exact_section, filled, geometric_mean, loss_cell, verdict
from scaling import PIECES, exponents

TEXT = "a\n<!-- exact: begin -->\nold\n<!-- exact: end -->\nb\n"


def test_a_section_is_replaced_and_the_rest_is_left_alone():
    once = filled(TEXT, "exact", "new")

    assert once == "a\n<!-- exact: begin -->\nnew\n<!-- exact: end -->\nb\n"
    assert filled(once, "exact", "new") == once


def run(**given):
    row = {"table": "t", "strategy": "progressive", "epsilon": 0.5, "theta": 0.025, "optimum": 0.1}
    row |= {"train_rows": 100, "paper_rows": 1600, "loss": 0.11, "deviation": 0.01}
    return {**row, "cpu_seconds": 1.0, "kept": "True", "holds": "True", **given}


def test_broken_promises_and_unmet_ones_are_counted():
    text = "\n".join(exact_section([run(), run(kept="False"), run(holds="False", epsilon=1.0)]))

    assert "3 runs at all settings; promises broken: 1; certified: 2." in text
    assert "share of what the setting allows: 0.20" in text
    assert "geometric mean 16.0 over 1 tables" in " ".join(text.split())


def test_a_peer_without_an_answer_shows_why():
    assert loss_cell([{"loss": None, "status": "absent"}]) == "absent"
    assert loss_cell([]) == ""


def test_a_stopped_search_is_marked():
    assert "(stopped)" in loss_cell([{"loss": 0.2, "status": "time_limit", "n_rules": 3}])


def test_the_verdict_names_who_is_best_among_equals_and_of_all():
    losses = {"samrule, exact": 0.2, "samrule": 0.25, "greedy": 0.3, "gosdt": None, "tree": 0.1}
    cells = {(method, "t"): [{"loss": loss}] for method, loss in losses.items()}

    *_, line = "\n".join(verdict(cells, ["t"])).splitlines()

    assert " ".join(line.split()) == "| t | 0.2000 | 0.2500 | greedy 0.3000 | tree 0.1000 | tree |"


def test_a_row_on_a_cluster_costs_what_it_costs_beyond_starting_a_job():
    runs = [(100, 7.0), (100, 5.0), (1100, 9.0)]
    rows = [
        {"rows": n, "cores": 2, **{f"{name}_seconds": s for name in ("open", "draw", "certify")}}
        for n, s in runs
    ]

    assert core_seconds_per_row(rows, "draw") == pytest.approx(2 * 4.0 / 1000)
    text = " ".join("\n".join(estimate(rows)).split())
    assert "| draw | 8000.00 | 222,222 | 133,333.3 | 13,333.3 |" in text


def test_growth_exponent_is_the_slope_in_logs():
    rows = [
        {
            **{"varied": "rows", "rows": n, "status": "optimal"},
            **{f"{piece}_seconds": 3 * n**0.5 for piece in PIECES},
        }
        for n in (10, 100, 1000)
    ]
    rows.append({**rows[-1], "rows": 10_000, "solve_seconds": 60.0, "status": "time_limit"})

    assert exponents(rows, "rows") == "scan 0.50, pack 0.50, solve 0.50, certify 0.50"
    assert exponents(rows, "columns") == "not measured"


def test_geometric_mean_is_that_of_the_logs():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert geometric_mean([math.e]) == pytest.approx(math.e)


def test_every_section_has_its_place_in_the_document():
    from report import DOCUMENT

    text = DOCUMENT.read_text()
    for name in SECTIONS:
        assert text.count(f"<!-- {name}: begin -->") == text.count(f"<!-- {name}: end -->") == 1
