// From numbers to pixels and back, and round numbers for an axis.

export interface Scale {
  (value: number): number;
  /** The number at a pixel. */
  back(pixel: number): number;
}

/** A line through two points: `from` is drawn at `start`, `to` at `end`. */
export function linear(from: number, to: number, start: number, end: number): Scale {
  const span = to - from || 1;
  const scale = (value: number) => start + ((value - from) / span) * (end - start);
  return Object.assign(scale, {
    back: (pixel: number) => from + ((pixel - start) / (end - start || 1)) * span,
  });
}

/** About so many round numbers between two ends: 0.14, 0.145, 0.15. */
export function ticks(from: number, to: number, about = 5): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [from];
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, place) =>
    Number(((first + place) * step).toPrecision(12)),
  );
}
