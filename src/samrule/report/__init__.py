"""One HTML page about a rule list: for people to read, print, send and try."""

from samrule.report.page import page, rules_snippet, snippet, write_report

__all__ = ["page", "rules_snippet", "snippet", "write_report"]
