"""What the solver benchmark asks: table, rules, terms, and the optimum it must find.

`SETTINGS` are lists of single conditions, mostly on the paper's samples; `RICH` are longer lists
and conjunctions, where the question is also how near the bound comes in how many seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

REGULARIZATION = 1e-4
SEED = 0


@dataclass(frozen=True)
class Setting:
    """One row of the result table.

    Attributes
    ----------
    n_rows : int or "paper" or None
        Size of the sample drawn from the table; "paper" is what the paper asks for (m^) at
        epsilon 0.5, theta 0.025, delta 0.05; None takes the whole table.
    optimum : float or None
        Optimal regularized loss, found by the trial and by CORELS where it finishes.
    trial_goal, corels_goal : float or None
        How many times faster than the trial, and than CORELS, two threads should be.
    cuts : str
        "paper"; "default" for the conditions that `samrule.learn` makes; "plain" for all cuts and
        levels that it chooses from.
    """

    name: str
    table: str
    max_rules: int
    n_rows: int | str | None = None
    max_terms: int = 1
    optimum: float | None = None
    trial_goal: float | None = None
    corels_goal: float | None = None
    cuts: str = "paper"

    @property
    def is_long(self) -> bool:
        """Whether this may take minutes: then one thread is not measured and runs not repeated."""
        return self.max_terms > 2


SETTINGS = (
    # Samples, as in the paper's experiments.
    Setting("a9a-k4", "a9a", 4, 10291, 1, 0.18794251, 1.5, 5000),
    Setting("adult-k4", "adult", 4, 10650, 1, 0.17946103, 1.5, 5000),
    Setting("compas-k3", "compas_corels_rules", 3, None, 1, 0.33887297, 1.5, 100),
    Setting("compas-k4", "compas_corels_rules", 4, None, 1, 0.32849370, 1.5, 100),
    Setting("compas-k5", "compas_corels_rules", 5, None, 1, 0.32628209, 5, 100),
    Setting("bank-k4", "bank", 4, 10503, 1, 0.08913655, 1.5, 100),
    Setting("mushroom-k5", "mushroom", 5, 11909, 1, 0.00318704, 1.5, 100),
    Setting("phishing-k5", "phishing", 5, 15717, 1, 0.07716858, None, 100),
    Setting("phishing-k7", "phishing", 7, 15717, 1, 0.07145142, None, 100),
    Setting("phishing-k8", "phishing", 8, 15717, 1, 0.06951540, 5, 100),
    Setting("ijcnn1-k5", "ijcnn1", 5, 14360, 1, 0.04360585, 5, 100),
    Setting("planted-k3", "planted", 3, None, 1, 0.10013600),
    # Whole tables.
    Setting("a9a-whole-k4", "a9a", 4, None, 1, 0.18138339),
    Setting("adult-whole-k4", "adult", 4, None, 1, 0.17603957),
    Setting("bank-whole-k4", "bank", 4, None, 1, 0.09132454),
    Setting("ijcnn1-whole-k4", "ijcnn1", 4, None, 1, 0.04966882),
    Setting("mushroom-whole-k5", "mushroom", 5, None, 1, 0.00345421),
    Setting("phishing-whole-k6", "phishing", 6, None, 1, 0.07405093),
    Setting("phishing-whole-k7", "phishing", 7, None, 1, 0.07261316),
    Setting("phishing-whole-k8", "phishing", 8, None, 1, 0.07036128),
    # Conjunctions, built by us; the trial gets them ready made.
    Setting("phishing-z2-k3", "phishing", 3, 20000, 2, 0.08340000, 3),
    Setting("phishing-z3-k3", "phishing", 3, 20000, 3),
    Setting("mushroom-z3-k3", "mushroom", 3, None, 3),
)


def rich(
    table: str, max_terms: int, max_rules: int, optimum: float | None = None, **rest: object
) -> Setting:
    """Return a setting of the rich set, named for what it asks."""
    name = f"{table}-z{max_terms}-k{max_rules}"
    goal = 2 if optimum is not None and max_terms > 1 else None
    return Setting(name, table, max_rules, None, max_terms, optimum, goal, **rest)


def default_cuts(table: str, max_terms: int, max_rules: int) -> Setting:
    """Return a setting with the conditions that `learn` would choose from, but for sets."""
    name = f"{table}-default-z{max_terms}-k{max_rules}"
    return Setting(name, table, max_rules, None, max_terms, cuts="plain")


def paper_cell(table: str, max_terms: int, max_rules: int) -> Setting:
    """Return a cell of the paper's section 5.3: as many rows as the paper asks for."""
    name = f"{table}-paper-z{max_terms}-k{max_rules}"
    return Setting(name, table, max_rules, "paper", max_terms)


RICH = (
    # Whole tables: what a throw-away trial proved.
    rich("adult", 2, 3, 0.171056),
    rich("a9a", 2, 3, 0.171271),
    rich("bank", 2, 2, 0.091610),
    rich("bank", 2, 3, 0.089015),
    rich("phishing", 2, 4, 0.077379),
    rich("phishing", 3, 2, 0.090747),
    rich("phishing", 3, 3, 0.081892),
    rich("mushroom", 2, 3, 0.015071),
    rich("mushroom", 2, 4, 0.006308),
    # Further than it came.
    *(rich(table, 2, k) for table in ("adult", "bank") for k in (4, 5)),
    *(default_cuts(table, 2, k) for table in ("adult", "bank") for k in (3, 4, 5)),
    # Many single conditions.
    *(rich("adult", 1, k) for k in (6, 7, 8)),
    *(default_cuts("credit_like", 1, k) for k in (4, 5)),
    # Section 5.3 of the paper.
    *(
        paper_cell(table, z, k)
        for table in ("mushroom", "phishing")
        for z in (1, 2, 3)
        for k in (1, 2, 3, 4, 5)
    ),
)
