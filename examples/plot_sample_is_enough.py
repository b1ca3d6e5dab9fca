"""
A sample of a long table is enough
==================================

A million rows, of which a progressive run reads some thousands: it draws more until the list is
proven to be nearly the best of the whole table.
"""

import numpy as np
import pyarrow as pa

import samrule

rng = np.random.default_rng(0)
n = 1_000_000
age, wait = rng.integers(18, 90, n), rng.integers(0, 60, n)
returns = np.where(wait >= 45, False, (age < 30) | (wait < 20)) ^ (rng.random(n) < 0.1)
guests = pa.table({"age": age, "wait": wait, "returns": returns})

fitted = samrule.learn(guests, "returns", strategy="progressive", epsilon=0.1, random_state=0)
print(fitted)

# %%
# No list is left of the line, this one is at the dot, and the bar is what was asked for.
samrule.plot_certificate(fitted)
