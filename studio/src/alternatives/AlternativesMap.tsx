// A dot per list: number of rules across, loss upwards, the colour says which columns it uses.
import { useMemo } from "preact/hooks";
import type { GoodList } from "../api/types";
import { linear, ticks } from "../charts/scale";
import { swarm } from "../charts/swarm";
import { useWidth } from "../charts/useWidth";
import { useStudio } from "../session/context";
import { loss, several } from "../text/numbers";
import { shown } from "../text/shown";

interface Props {
  /** Every list: the axes are theirs, so that nothing jumps when some are left out. */
  all: readonly GoodList[];
  lists: readonly GoodList[];
  colours: readonly number[];
  chosen: GoodList | null;
  onChoose(one: GoodList): void;
}

const BOX = { left: 62, right: 14, top: 12, bottom: 44, height: 300 };

export function AlternativesMap({ all, lists, colours, chosen, onChoose }: Props) {
  const { view } = useStudio();
  const [place, width] = useWidth<HTMLDivElement>(300);
  const sizes = all.map((one) => one.n_rules);
  const [fewest, most] = [Math.min(...sizes), Math.max(...sizes)];
  const losses = all.map((one) => one.loss);
  const [least, greatest] = [Math.min(...losses), Math.max(...losses)];
  const margin = 0.06 * (greatest - least || 0.02 * greatest || 0.01);
  const bottom = BOX.height - BOX.bottom;
  const y = linear(least - margin, greatest + margin, bottom, BOX.top);
  const band = (width - BOX.left - BOX.right) / (most - fewest + 1);
  const x = (n_rules: number) => BOX.left + (n_rules - fewest + 0.5) * band;
  const radius = all.length > 300 ? 3.5 : all.length > 120 ? 4.5 : 6;

  const dots = useMemo(
    () =>
      swarm(
        lists.map((one, id) => ({ x: x(one.n_rules), y: y(one.loss), id, one })),
        radius + 0.5,
        band / 2 - radius,
      ),
    [lists, width],
  );

  function onKeyDown(event: KeyboardEvent) {
    const at = dots.findIndex((dot) => dot.one === chosen);
    const forth = event.key === "ArrowRight" || event.key === "ArrowUp";
    const back = event.key === "ArrowLeft" || event.key === "ArrowDown";
    const to = forth ? at + 1 : back ? at - 1 : event.key === "Home" ? 0 : NaN;
    if (Number.isNaN(to)) return;
    event.preventDefault();
    const dot = dots[Math.max(0, Math.min(to, dots.length - 1))];
    if (dot) onChoose(dot.one);
  }

  if (all.length === 0) return <p class="soft">There are none.</p>;
  return (
    <div class="map" ref={place}>
      <svg width={width} height={BOX.height}>
        {ticks(least - margin, greatest + margin, 4).map((one) => (
          <g key={one}>
            <line class="grid" x1={BOX.left} x2={width - BOX.right} y1={y(one)} y2={y(one)} />
            <text class="soft" x={BOX.left - 8} y={y(one) + 4} text-anchor="end">
              {loss(one)}
            </text>
          </g>
        ))}
        {Array.from({ length: most - fewest + 1 }, (_, k) => (
          <text key={k} class="soft" x={x(fewest + k)} y={bottom + 18} text-anchor="middle">
            {several(fewest + k, "rule")}
          </text>
        ))}
        <text class="soft" x={BOX.left} y={BOX.height - 6}>
          lower is better
        </text>
        {view.loss <= greatest + margin && (
          <g>
            <line
              class="now-line"
              x1={BOX.left}
              x2={width - BOX.right}
              y1={y(view.loss)}
              y2={y(view.loss)}
            />
            <text class="now-text" x={width - BOX.right} y={y(view.loss) - 5} text-anchor="end">
              this list
            </text>
          </g>
        )}
        <g
          role="listbox"
          tabindex={0}
          aria-label="Lists by loss and number of rules, best first"
          aria-activedescendant={chosen ? `list-${lists.indexOf(chosen)}` : undefined}
          onKeyDown={onKeyDown}
        >
          <rect
            class="focus-frame"
            x={BOX.left}
            y={BOX.top}
            width={width - BOX.left - BOX.right}
            height={bottom - BOX.top}
          />
          {dots.map((dot) => (
            <circle
              key={dot.id}
              id={`list-${dot.id}`}
              role="option"
              aria-selected={dot.one === chosen}
              aria-label={`${several(dot.one.n_rules, "rule")}, loss ${loss(dot.one.loss)}, uses ${dot.one.columns.map((column) => shown(column)).join(", ")}`}
              class={`dot set-${colours[dot.id]} ${dot.one === chosen ? "chosen" : ""}`}
              cx={dot.x}
              cy={dot.y}
              r={dot.one === chosen ? radius + 3 : radius}
              onClick={() => onChoose(dot.one)}
            >
              <title>{shown(dot.one.text)}</title>
            </circle>
          ))}
        </g>
      </svg>
    </div>
  );
}
