"""What the solver benchmark asks: table, rules, terms, and the optimum it must find."""

from __future__ import annotations

from dataclasses import dataclass

REGULARIZATION = 1e-4
SEED = 0


@dataclass(frozen=True)
class Setting:
    """One row of the result table.

    Attributes
    ----------
    n_rows : int or None
        Size of the sample drawn from the table; None takes the whole table.
    optimum : float or None
        Optimal regularized loss, found by the trial and by CORELS where it finishes.
    trial_goal, corels_goal : float or None
        How many times faster than the trial, and than CORELS, two threads should be.
    """

    name: str
    table: str
    max_rules: int
    n_rows: int | None = None
    max_terms: int = 1
    optimum: float | None = None
    trial_goal: float | None = None
    corels_goal: float | None = None

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
