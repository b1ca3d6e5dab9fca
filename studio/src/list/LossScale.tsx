// Where the list stands between the best possible one and the one before.
import { linear } from "../charts/scale";
import { useWidth } from "../charts/useWidth";
import { loss } from "../text/numbers";

interface Props {
  best: number;
  now: number;
  before: number | undefined;
}

const HEIGHT = 58;
const LINE = 28;

export function LossScale({ best, now, before }: Props) {
  const [place, width] = useWidth<HTMLDivElement>();
  const from = Math.min(best, now, before ?? now);
  const to = Math.max(now, before ?? now, from + 0.02 * Math.max(from, 0.001));
  const x = linear(from, to + 0.06 * (to - from), 12, width - 12);
  const hasBefore = before !== undefined && before !== now;
  const bound = `no list is below ${loss(best)}`;
  const both = hasBefore ? [label(x(best), bound), label(x(before), `before ${loss(before)}`)] : [];
  const [one, other] = both;
  const below =
    one && other && areApart(one, other)
      ? both
      : [label(x(best), hasBefore ? `${bound}; before ${loss(before)}` : bound)];
  const above = label(x(now), `now ${loss(now)}`);
  return (
    <div ref={place} class="scale">
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <line class="axis" x1={4} x2={width - 4} y1={LINE} y2={LINE} />
        <rect
          class="gap"
          x={x(best)}
          width={Math.max(0, x(now) - x(best))}
          y={LINE - 4}
          height={8}
        />
        <line class="bound" x1={x(best)} x2={x(best)} y1={LINE - 9} y2={LINE + 9} />
        {hasBefore && <circle class="before" cx={x(before)} cy={LINE} r={5} />}
        <circle class="now" cx={x(now)} cy={LINE} r={6.5} />
        {below.map((one) => (
          <text key={one.text} class="soft" x={one.x} y={HEIGHT - 6} text-anchor={one.anchor}>
            {one.text}
          </text>
        ))}
        <text class="now" x={above.x} y={13} text-anchor={above.anchor}>
          {above.text}
        </text>
      </svg>
    </div>
  );

  /** A label at a pixel, but inside the picture. */
  function label(at: number, text: string): Label {
    const half = 3.6 * text.length;
    if (at < half) return { x: 4, anchor: "start", text, from: 4, to: 4 + 2 * half };
    if (at > width - half) {
      return { x: width - 4, anchor: "end", text, from: width - 4 - 2 * half, to: width - 4 };
    }
    return { x: at, anchor: "middle", text, from: at - half, to: at + half };
  }
}

interface Label {
  x: number;
  anchor: "start" | "middle" | "end";
  text: string;
  from: number;
  to: number;
}

function areApart(one: Label, other: Label): boolean {
  return one.to + 6 < other.from || other.to + 6 < one.from;
}
