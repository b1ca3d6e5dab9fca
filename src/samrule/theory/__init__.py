"""What samrule promises, as small functions to read beside the mathematics in docs/theory.

Arithmetic only: nothing here sees a row or a file. All roundings lean the safe way.
"""

from samrule.theory.alarm import is_plausible_draw
from samrule.theory.binomial import binomial_lower_limit, binomial_tail, binomial_upper_limit
from samrule.theory.calibrated import calibrated_lower
from samrule.theory.certificate import Certificate, certify, combine
from samrule.theory.conjunctions import Column, n_conjunctions, n_conjunctions_of_columns
from samrule.theory.deviation import (
    kl,
    kl_lower,
    kl_sample,
    kl_sample_lower,
    kl_upper,
    loss_upper_bound_paper,
    sample_loss_upper_bound_as_printed,
    sample_loss_upper_bound_paper,
)
from samrule.theory.evidence import loss_lower_bound
from samrule.theory.growth import (
    complexity,
    growth_upper_bound,
    log_n_rule_lists,
    n_rule_lists_upper_bound,
)
from samrule.theory.hypergeometric import hypergeometric_lower_limit
from samrule.theory.paired import Paired, PairedWeights, paired_lower_bound
from samrule.theory.row_by_row import RowByRow
from samrule.theory.sample_size import sample_size, sample_size_closed_form
from samrule.theory.schedule import (
    Schedule,
    Stage,
    effort_schedule,
    planned_schedule,
    progressive_schedule,
)
from samrule.theory.shares import Shares
from samrule.theory.support import sample_support
from samrule.theory.vc_dimension import vc_lower_bound, vc_lower_bound_as_printed, vc_upper_bound

__all__ = [
    "Certificate",
    "Column",
    "Paired",
    "PairedWeights",
    "RowByRow",
    "Schedule",
    "Shares",
    "Stage",
    "binomial_lower_limit",
    "binomial_tail",
    "binomial_upper_limit",
    "calibrated_lower",
    "certify",
    "combine",
    "complexity",
    "effort_schedule",
    "growth_upper_bound",
    "hypergeometric_lower_limit",
    "is_plausible_draw",
    "kl",
    "kl_lower",
    "kl_sample",
    "kl_sample_lower",
    "kl_upper",
    "log_n_rule_lists",
    "loss_lower_bound",
    "loss_upper_bound_paper",
    "n_conjunctions",
    "n_conjunctions_of_columns",
    "n_rule_lists_upper_bound",
    "paired_lower_bound",
    "planned_schedule",
    "progressive_schedule",
    "sample_loss_upper_bound_as_printed",
    "sample_loss_upper_bound_paper",
    "sample_size",
    "sample_size_closed_form",
    "sample_support",
    "vc_lower_bound",
    "vc_lower_bound_as_printed",
    "vc_upper_bound",
]
