"""A local page to argue with a list: cards, prices, histograms, alternatives, exports.

It needs the extra ``samrule[studio]``; `samrule.cli.studio` starts it.
"""
