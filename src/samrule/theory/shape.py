"""The class of rule lists that a statement is about: d conditions, k rules, z terms."""

from samrule.checks import WholeNumber, checked_integer
from samrule.errors import Parameter, ParameterError, Words


def checked_shape(
    n_conditions: object, max_rules: object, max_terms: object
) -> tuple[int, int, int]:
    """Return the class of rule lists (d, k, z), if z is at most d.

    Examples
    --------
    >>> checked_shape(174, 4, 1)
    (174, 4, 1)
    """
    d = checked_integer("n_conditions", n_conditions)
    k = checked_integer("max_rules", max_rules)
    z = checked_integer("max_terms", max_terms)
    if z > d:
        possible = WholeNumber(at_least=1, at_most=d).expected
        raise ParameterError(
            Words(
                Parameter("max_terms"), f" is {z}; expected {possible}, the number of conditions."
            ),
            hint=Words(
                "a rule cannot use more than all conditions; pass ",
                Parameter("max_terms", d),
                " or less.",
            ),
        )
    return d, k, z
