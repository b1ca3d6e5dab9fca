// Scores on the rows learned from and on those held out, side by side.
import { useAnswer } from "../api/useAnswer";
import type { Metrics } from "../api/types";
import { useStudio } from "../session/context";
import { count, percent, plain } from "../text/numbers";
import { short, shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";

// What ranks rows ranks them by the probability of the second of two classes.
const SCORES: { name: string; help: string; of(one: Metrics): string; ranks?: boolean }[] = [
  { name: "Right", help: "share of rows predicted right", of: (one) => percent(one.accuracy) },
  {
    name: "Right, classes alike",
    help: "balanced accuracy: the mean over classes",
    of: (one) => percent(one.balanced_accuracy),
  },
  {
    name: "Area under ROC",
    help: "0.5 is chance, 1 is perfect",
    of: (one) => score(one.auc),
  },
  {
    name: "Average precision",
    help: "area under precision against recall",
    of: (one) => score(one.average_precision),
    ranks: true,
  },
  { name: "Log loss", help: "lower is better", of: (one) => score(one.log_loss) },
  { name: "Brier score", help: "lower is better", of: (one) => score(one.brier) },
];

export function MetricsTable() {
  const { view, studio } = useStudio();
  const { data, refusal, isFresh } = useAnswer("metrics", { steps: view.steps });
  if (refusal) return <Trouble refusal={refusal} />;
  if (!data) return <p class="soft waiting">Counting …</p>;
  const shownOn = data.test ?? data.learned;
  const [, second, third] = studio.classes;
  const ranked = second && !third ? `of ${short(second.text, 18)}` : "mean of classes";
  return (
    <section class={isFresh ? "block" : "block stale"}>
      <table>
        <caption class="unseen">Scores</caption>
        <thead>
          <tr>
            <th scope="col">Score</th>
            {data.test && (
              <th scope="col" class="number">
                held out<small>{count(data.test.n_rows)} rows</small>
              </th>
            )}
            <th scope="col" class="number">
              learned from<small>{count(data.learned.n_rows)} rows</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {SCORES.filter((one) => one.of(data.learned) !== "-").map((one) => (
            <tr key={one.name}>
              <th scope="row" title={one.help}>
                {one.name}
                {one.ranks && <small>{ranked}</small>}
              </th>
              {data.test && <td class="number strong">{one.of(data.test)}</td>}
              <td class="number">{one.of(data.learned)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table class="confusion">
        <caption>
          Rows by true class (down) and predicted class (across),{" "}
          {data.test ? "held out" : "learned from"}
        </caption>
        <thead>
          <tr>
            <th scope="col">true \ predicted</th>
            {studio.classes.map((one) => (
              <th scope="col" class="number" key={one.text}>
                {short(one.text, 18)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownOn.confusion.map((row, truth) => (
            <tr key={truth}>
              <th scope="row">{shown(studio.classes[truth]?.text ?? "")}</th>
              {row.map((rows, predicted) => (
                <td key={predicted} class={truth === predicted ? "number hit" : "number"}>
                  {count(rows)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {!data.test && (
        <p class="soft">
          No rows were held out, so these figures flatter the list a little: start the studio with
          --test 0.2 to hold out a fifth.
        </p>
      )}
    </section>
  );
}

function score(value: number | null): string {
  return value === null ? "-" : plain(value, 3);
}
