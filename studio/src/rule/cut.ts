// Where a cut can stand: on the borders between bins, which are drawn equally wide.

/** The border nearest to a pixel, if bins begin at `start` and are `wide` pixels each. */
export function nearestBorder(
  pixel: number,
  start: number,
  wide: number,
  n_borders: number,
): number {
  const place = Math.round((pixel - start) / wide) - 1;
  return Math.max(0, Math.min(place, n_borders - 1));
}

/** Where a key moves the cut; null if it moves nothing. */
export function keyedBorder(key: string, border: number, n_borders: number): number | null {
  const moves: Record<string, number> = {
    ArrowLeft: border - 1,
    ArrowDown: border - 1,
    ArrowRight: border + 1,
    ArrowUp: border + 1,
    PageDown: border - 5,
    PageUp: border + 5,
    Home: 0,
    End: n_borders - 1,
  };
  const wanted = moves[key];
  return wanted === undefined ? null : Math.max(0, Math.min(wanted, n_borders - 1));
}
