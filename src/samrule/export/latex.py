"""A rule list as a LaTeX table, as papers print it. Names and values come out as text."""

import re

from samrule.rules import RuleList, conjunction_text, visible


def rule_list_latex(rule_list: RuleList) -> str:
    r"""Return a tabular that needs no package with LaTeX of 2020 or newer.

    >>> from samrule.rules import Condition, Rule
    >>> odd = Rule((Condition("100%_x", ">=", 4),), "yes")
    >>> print(rule_list_latex(RuleList((odd,), Rule((), "no"), ("no", "yes"))))
    \begin{tabular}{lll}
    \textbf{if} & 100\%\_x \textgreater{}= 4 & \textbf{then} yes \\
    \textbf{else} & & no \\
    \end{tabular}
    """
    conditions = [latex_text(conjunction_text(rule.conditions)) for rule in rule_list.rules]
    lines = [
        rf"\textbf{{{'else if' if place else 'if'}}} & {conditions[place]} "
        rf"& \textbf{{then}} {latex_text(str(rule.prediction))} \\"
        for place, rule in enumerate(rule_list.rules)
    ]
    word = "else" if lines else "always"
    default = rf"\textbf{{{word}}} & & {latex_text(str(rule_list.default.prediction))} \\"
    return "\n".join([r"\begin{tabular}{lll}", *lines, default, r"\end{tabular}"])


def latex_text(text: str) -> str:
    r"""Return LaTeX that prints the text and does nothing else.

    >>> print(latex_text(r"\input{x} -- $5 & 'so'"))
    \textbackslash{}input\{x\} -{}- \$5 \& \textquotesingle{}so\textquotesingle{}
    """
    escaped = "".join(_ESCAPES.get(one, one) for one in visible(text))
    # Two dashes or commas would join into another sign, blanks into one.
    return re.sub(r"(?<= ) ", r"\\ ", re.sub(r"(?<=([-,]))(?=\1)", "{}", escaped))


_ESCAPES = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}
