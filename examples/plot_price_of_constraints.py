"""
What a constraint costs
=======================

A bank may not use age, wants the risk to rise with debt and to fall with income, and a list that
looks at one column alone. Every such wish has a price, and it is known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import samrule

rng = np.random.default_rng(0)
n = 5_000
age, income = rng.integers(18, 80, n), rng.integers(10, 100, n)
debt = rng.integers(0, 60, n)
risk = 0.05 + 0.5 * (debt > income) + 0.6 * (age < 25) + 0.3 * (income > 90)
repaid = np.where(rng.random(n) < risk, "no", "yes")
loans = pa.table({"age": age, "income": income, "debt": debt, "repaid": repaid})

wishes = {"forbid": ["age"], "monotone": {"income": 1, "debt": -1}, "max_columns": 1}
fitted = samrule.learn(loans, "repaid", random_state=0, **wishes)
print(fitted)

# %%
# What the best list would lose less without each of them.
prices = samrule.constraint_prices(loans, "repaid", random_state=0, **wishes)
_, axes = plt.subplots(layout="constrained")
axes.barh([price.constraint for price in prices], [100 * price.most for price in prices])
axes.set_xlabel("price: loss in hundredths, at most")
