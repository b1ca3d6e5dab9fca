"""
A class of one row in a hundred
===============================

Counting errors, "never" is hard to beat when the class is rare. What a missed row costs is for
people to say, and the list follows.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

import samrule

rng = np.random.default_rng(0)
n = 50_000
amount, hour = np.round(rng.lognormal(4, 1, n)), rng.integers(0, 24, n)
abroad = rng.random(n) < 0.05
chance = 0.002 + 0.2 * (abroad & (amount > 100)) + 0.1 * ((hour < 5) & (amount > 300))
fraud = np.where(rng.random(n) < chance, "fraud", "fine")
payments = pa.table({"amount": amount, "hour": hour, "abroad": abroad, "payment": fraud})

alerts = {}
for price in (10, 30, 100, 300):
    fitted = samrule.learn(payments, "payment", costs={("fraud", "fine"): price}, random_state=0)
    alerts[price] = fitted.evaluate(payments).alerts("fraud")
    print(f"If a miss costs {price}: alerts {alerts[price]}.")
print(fitted)

# %%
# The dearer a missed fraud, the more of them the list finds, and the more alarms are false.
_, axes = plt.subplots(layout="constrained")
axes.plot([one.recall for one in alerts.values()], [one.precision for one in alerts.values()], "o-")
for price, one in alerts.items():
    axes.annotate(f"  a miss costs {price}", (one.recall, one.precision))
axes.set(xlabel="share of frauds that are found", ylabel="share of alarms that are right")
axes.margins(x=0.35)
