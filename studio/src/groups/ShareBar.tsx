// A share with the interval it lies in: number, dot and line on a track from 0 to 1.
import type { Share } from "../api/types";
import { percent } from "../text/numbers";

interface Props {
  share: Share;
  /** What the list says the share is, if it says so. */
  expected?: number | null;
}

const WIDTH = 84;
const MIDDLE = 6;

export function ShareBar({ share, expected = null }: Props) {
  if (share.value === null) return <span class="soft">-</span>;
  const x = (value: number) => 3 + value * (WIDTH - 6);
  const interval =
    share.low === null || share.high === null
      ? ""
      : ` (${percent(share.low)} to ${percent(share.high)})`;
  const said = expected === null ? "" : `; the list says ${percent(expected)}`;
  return (
    <span class="share" title={`${percent(share.value)}${interval}${said}`}>
      {percent(share.value)}
      <svg width={WIDTH} height={12} aria-hidden="true">
        <line class="axis" x1={3} x2={WIDTH - 3} y1={MIDDLE} y2={MIDDLE} />
        {share.low !== null && share.high !== null && (
          <line class="interval" x1={x(share.low)} x2={x(share.high)} y1={MIDDLE} y2={MIDDLE} />
        )}
        <circle class="dot" cx={x(share.value)} cy={MIDDLE} r={3.5} />
        {expected !== null && (
          <line class="bound" x1={x(expected)} x2={x(expected)} y1={1} y2={11} />
        )}
      </svg>
    </span>
  );
}
