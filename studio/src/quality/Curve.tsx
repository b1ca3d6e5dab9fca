// The least loss with at most 0, 1, 2, ... rules: what each further rule buys.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { CurvePoint } from "../api/types";
import { linear } from "../charts/scale";
import { useWidth } from "../charts/useWidth";
import { useStudio } from "../session/context";
import { loss, percent, several } from "../text/numbers";
import { ListOffer } from "../ui/ListOffer";
import { Trouble } from "../ui/Trouble";

const BOX = { side: 34, top: 26, bottom: 150, height: 190 };

export function Curve() {
  const { data, refusal } = useAnswer("curve", {});
  const [chosen, setChosen] = useState<number | null>(null);
  const point = chosen === null ? undefined : data?.points[chosen];
  return (
    <section class="block" aria-labelledby="curve-title">
      <h3 id="curve-title">What each rule buys</h3>
      {refusal && <Trouble refusal={refusal} />}
      {!data && !refusal && <p class="soft waiting">Looking for the best list of each length …</p>}
      {data && (
        <>
          <Picture points={data.points} chosen={chosen} />
          <div class="points" role="group" aria-label="Best list of each length">
            {data.points.map((one, place) => (
              <button
                type="button"
                class="small"
                key={place}
                aria-pressed={place === chosen}
                onClick={() => setChosen(place === chosen ? null : place)}
              >
                {several(one.n_rules, "rule")}
              </button>
            ))}
          </div>
          {point && (
            <>
              <p>
                The best list of at most {several(point.n_rules, "rule")} has a loss of{" "}
                {loss(point.loss)}
                {point.proven ? ", which is proven" : ""}
                {point.test_error === null
                  ? "."
                  : `, and errs in ${percent(point.test_error)} of held-out rows.`}
              </p>
              <ListOffer
                list={point}
                loss={point.loss}
                label={`Best list of ${several(point.n_rules, "rule")}`}
              />
            </>
          )}
        </>
      )}
    </section>
  );
}

function Picture({ points, chosen }: { points: CurvePoint[]; chosen: number | null }) {
  const { view } = useStudio();
  const [frame, width] = useWidth<HTMLDivElement>(280);
  const n_rules = view.rules.length - 1;
  const values = [...points.map((one) => one.loss), view.loss];
  const x = linear(0, Math.max(points.length - 1, n_rules, 1), BOX.side, width - BOX.side);
  const y = linear(Math.min(...values), Math.max(...values), BOX.bottom, BOX.top);
  const words = points.map((one) => `${one.n_rules}: ${loss(one.loss)}`).join("; ");
  return (
    <div ref={frame}>
      <svg
        width={width}
        height={BOX.height}
        role="img"
        aria-label={`Least loss by rules: ${words}`}
      >
        <polyline
          class="line"
          points={points.map((one, k) => `${x(k)},${y(one.loss)}`).join(" ")}
        />
        {points.map((one, k) => (
          <g key={k}>
            <circle
              class={k === chosen ? "dot big" : "dot"}
              cx={x(k)}
              cy={y(one.loss)}
              r={k === chosen ? 7 : 4}
            />
            <text
              x={x(k) + (k === points.length - 1 ? 4 : 7)}
              y={y(one.loss) - (k === points.length - 1 ? 14 : 8)}
              text-anchor={k === points.length - 1 && k > 0 ? "end" : "start"}
            >
              {loss(one.loss)}
            </text>
            <text class="soft" x={x(k)} y={BOX.height - 8} text-anchor="middle">
              {k}
            </text>
          </g>
        ))}
        <circle class="ring" cx={x(n_rules)} cy={y(view.loss)} r={9}>
          <title>your list</title>
        </circle>
      </svg>
      <p class="soft">Least loss with at most so many rules; the ring is your list.</p>
    </div>
  );
}
