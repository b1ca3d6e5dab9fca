// Rows by class as a bar; the empty part on its left are rows that were decided before.
import { count } from "../text/numbers";
import { shown } from "../text/shown";

interface Props {
  counts: readonly number[];
  classes: readonly { text: string }[];
  /** What the whole width stands for. */
  total: number;
  /** Rows to the left of these. */
  skipped?: number;
}

export function ClassBar({ counts, classes, total, skipped = 0 }: Props) {
  const share = (rows: number) => `${total ? (100 * rows) / total : 0}%`;
  const words = counts.map((rows, place) => `${count(rows)} ${shown(classes[place]?.text ?? "")}`);
  return (
    <div class="class-bar" role="img" aria-label={`Rows it decides: ${words.join(", ")}`}>
      <span style={{ width: share(skipped) }} />
      {counts.map((rows, place) => (
        <span key={place} class={`class-${place % 8}`} style={{ width: share(rows) }} />
      ))}
    </div>
  );
}

/** The colours of the classes. */
export function ClassLegend({ classes }: { classes: readonly { text: string }[] }) {
  return (
    <ul class="legend" aria-label="Colours of classes">
      {classes.map((one, place) => (
        <li key={place}>
          <span class={`swatch class-${place % 8}`} />
          {shown(one.text)}
        </li>
      ))}
    </ul>
  );
}
