// Dots that would lie on each other are put side by side, so that each can be seen and clicked.

export interface Dot {
  x: number;
  y: number;
}

/** Move dots sideways, as little as needed within `reach`, until none touches another. */
export function swarm<T extends Dot>(dots: readonly T[], radius: number, reach: number): T[] {
  const placed: Dot[] = [];
  const step = radius / 2;
  return dots.map((dot) => {
    const near = placed.filter((one) => Math.abs(one.y - dot.y) < 2 * radius);
    let best = dot.x;
    for (let out = 0; out * step <= reach; out += 1) {
      const free = [dot.x + out * step, dot.x - out * step].find((x) =>
        near.every((one) => (one.x - x) ** 2 + (one.y - dot.y) ** 2 >= (2 * radius) ** 2),
      );
      if (free !== undefined) {
        best = free;
        break;
      }
      // No room is left: dots are laid over each other, spread over the whole width.
      best = dot.x + ((placed.length * 7919) % (2 * reach)) - reach;
    }
    placed.push({ x: best, y: dot.y });
    return { ...dot, x: best };
  });
}
