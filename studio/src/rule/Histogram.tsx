// Rows by class along a column, with the rule's cut to drag and the loss at every other cut above.
import { useEffect, useState } from "preact/hooks";
import type { Border, ColumnView } from "../api/types";
import { linear } from "../charts/scale";
import { useWidth } from "../charts/useWidth";
import { useKept } from "../session/useKept";
import { loss as lossText, percent, signedPercent } from "../text/numbers";
import { above } from "../text/price";
import { short, shown } from "../text/shown";
import { Choice } from "../ui/Choice";
import { CutHandle } from "./CutHandle";

interface Props {
  data: ColumnView;
  classes: readonly { text: string }[];
  loss: number;
  onCut(border: Border): void;
}

const SIDE = 16;
const CURVE = { top: 22, bottom: 64 };
const BARS = { top: 76, bottom: 196 };
const HEIGHT = 234;

export function Histogram({ data, classes, loss, onCut }: Props) {
  const [place, width] = useWidth<HTMLDivElement>(300);
  const { borders, bins, cut } = data;
  const [moved, setMoved] = useState<number | null>(null);
  useEffect(() => setMoved(null), [cut?.border, cut?.text]);

  const wide = (width - 2 * SIDE) / bins.length;
  const x = (border: number) => SIDE + (border + 1) * wide;
  const [heights, setHeights] = useKept<"rows" | "shares">("heights", "rows");
  const fullest = Math.max(1, ...bins.map((bin) => sum(bin.counts)));
  const most = heights === "shares" ? 1 : fullest;
  const up = linear(0, most, BARS.bottom, BARS.top);
  const at = moved ?? cut?.border ?? null;
  const border = at === null ? undefined : borders[at];
  const words = border && cut ? `${shown(data.column)} ${cut.op} ${shown(border.text)}` : "";
  const price = border?.loss == null ? null : above(border.loss, loss);

  return (
    <div class="histogram" ref={place}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`Rows by class along ${shown(data.column)}`}
      >
        {cut && at !== null && (
          <rect
            class="covered"
            x={cut.op === "<" ? SIDE : x(at)}
            width={Math.max(0, cut.op === "<" ? x(at) - SIDE : width - SIDE - x(at))}
            y={BARS.top - 6}
            height={BARS.bottom - BARS.top + 6}
          />
        )}
        {bins.map((bin, bar) => {
          let below = 0;
          const unit = heights === "shares" ? Math.max(1, sum(bin.counts)) : 1;
          return bin.counts.map((rows, kind) => {
            const y = up(below + rows / unit);
            const height = up(below) - y;
            below += rows / unit;
            return (
              <rect
                key={`${bar} ${kind}`}
                class={`class-${kind % 8}`}
                x={SIDE + bar * wide + (wide > 4 ? 0.75 : 0)}
                width={Math.max(0.5, wide - (wide > 4 ? 1.5 : 0))}
                y={y}
                height={Math.max(0, height)}
              >
                <title>{`${shown(classes[kind]?.text ?? "")}: ${rows}`}</title>
              </rect>
            );
          });
        })}
        <line class="axis" x1={SIDE} x2={width - SIDE} y1={BARS.bottom} y2={BARS.bottom} />
        <BorderLabels data={data} x={x} width={width} />
        {cut && <LossLine borders={borders} now={loss} x={x} />}
        {cut && at !== null && (
          <line class="cut" x1={x(at)} x2={x(at)} y1={CURVE.top} y2={BARS.bottom} />
        )}
      </svg>
      {cut && at !== null && (
        <CutHandle
          left={x(at)}
          start={SIDE}
          wide={wide}
          n_borders={borders.length}
          border={at}
          label={`Cut of ${shown(data.column)}`}
          words={`${words}${price === null ? "" : `, ${signedPercent(price)}`}`}
          onMove={setMoved}
          onDone={(done) => {
            const target = done === null ? undefined : borders[done];
            if (target && done !== cut.border) onCut(target);
            else setMoved(null);
          }}
        />
      )}
      <div class="heights">
        <Choice
          label="Bars show"
          options={[
            { value: "rows", label: "rows" },
            { value: "shares", label: "shares" },
          ]}
          chosen={heights}
          onChoose={(value) => setHeights(value)}
        />
      </div>
      {cut && (
        <p class="cut-words">
          <code>{words}</code>{" "}
          {moved !== null && moved !== cut.border && border ? (
            <>
              {border.loss !== null && (
                <span class={price !== null && price > 0 ? "worse" : "better"}>
                  loss {lossText(border.loss)}, {price === null ? "" : signedPercent(price)}
                </span>
              )}{" "}
              <button type="button" class="small" onClick={() => onCut(border)}>
                Use this cut
              </button>
            </>
          ) : (
            <span class="soft">{sharesText()}</span>
          )}
        </p>
      )}
    </div>
  );

  /** Of the rows that the rule takes, the share of each class. */
  function sharesText(): string {
    if (!cut) return "";
    const taken = cut.op === "<" ? bins.slice(0, cut.border + 1) : bins.slice(cut.border + 1);
    const all = taken.reduce((total, bin) => total + sum(bin.counts), 0);
    if (all === 0) return "";
    const parts = classes.map((one, kind) => {
      const rows = taken.reduce((total, bin) => total + (bin.counts[kind] ?? 0), 0);
      return `${percent(rows / all)} ${short(one.text, 24)}`;
    });
    return parts.join(", ");
  }
}

/** The loss at each cut: where the line is low, a cut is good. */
function LossLine({ borders, now, x }: { borders: Border[]; now: number; x(at: number): number }) {
  const known = borders.flatMap((one, place) =>
    one.loss === null ? [] : [{ place, loss: one.loss }],
  );
  if (known.length < 2) return null;
  const losses = known.map((one) => one.loss);
  const y = linear(Math.min(...losses, now), Math.max(...losses, now), CURVE.bottom, CURVE.top);
  return (
    <g>
      <text class="soft" x={SIDE} y={12}>
        loss at each cut
      </text>
      <polyline
        class="line"
        points={known.map((one) => `${x(one.place)},${y(one.loss)}`).join(" ")}
      />
      {known.map((one) => (
        <circle key={one.place} class="dot" cx={x(one.place)} cy={y(one.loss)} r={2} />
      ))}
    </g>
  );
}

interface LabelProps {
  data: ColumnView;
  x(border: number): number;
  width: number;
}

/** Values of the borders, as many as have room. */
function BorderLabels({ data, x, width }: LabelProps) {
  const labels: { at: number; text: string; anchor: "start" | "middle" | "end" }[] = [];
  const first = data.least_text === null ? "" : short(data.least_text, 14);
  const last = data.most_text === null ? "" : short(data.most_text, 14);
  const room = (text: string) => 7 * text.length + 10;
  labels.push({ at: SIDE, text: first, anchor: "start" });
  let free = SIDE + room(first);
  const end = width - SIDE - room(last);
  for (const [place, border] of data.borders.entries()) {
    const text = short(border.text, 14);
    const left = x(place) - room(text) / 2;
    if (left < free || left + room(text) > end) continue;
    labels.push({ at: x(place), text, anchor: "middle" });
    free = left + room(text);
  }
  labels.push({ at: width - SIDE, text: last, anchor: "end" });
  return (
    <g>
      {data.borders.map((border, place) => (
        <line
          key={place}
          class={border.is_condition ? "tick strong" : "tick"}
          x1={x(place)}
          x2={x(place)}
          y1={BARS.bottom}
          y2={BARS.bottom + (border.is_condition ? 5 : 3)}
        />
      ))}
      {labels.map((one, place) => (
        <text key={place} class="soft" x={one.at} y={BARS.bottom + 20} text-anchor={one.anchor}>
          {one.text}
        </text>
      ))}
    </g>
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, rows) => total + rows, 0);
}
