"""The paper's sample size condition and the binary KL divergence in 60-digit arithmetic."""

from decimal import Decimal, localcontext

DIGITS = 60


def paper_condition_holds(
    m: int, *, d: int, k: int, z: int, epsilon: float, theta: float, delta: float
) -> bool:
    """A6 at m, with every operation carried to 60 digits."""
    with localcontext(prec=DIGITS):
        d_, z_, m_ = Decimal(d), Decimal(z), Decimal(m)
        eps, th = Decimal(epsilon), Decimal(theta)
        single = (2 / Decimal(delta)).ln()
        w = k * z * ((2 * d_ / z_).ln() + 1) + 2 + single
        t1 = (3 * th * single / m_).sqrt()
        return t1 + (2 * (th + t1) * w / m_).sqrt() + 2 * w / m_ <= eps * th


def exact_kl(p: Decimal, q: Decimal) -> Decimal:
    """kl(p, q) for 0 < q < 1, with 60 digits even where p and q agree to 15."""
    with localcontext(prec=DIGITS):
        total = Decimal(0)
        if p > 0:
            total += p * (p / q).ln()
        if p < 1:
            total += (1 - p) * ((1 - p) / (1 - q)).ln()
        return total
