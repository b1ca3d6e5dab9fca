// What errors cost: this list, and the best one there is, as one error gets dearer than the other.
import { useAnswer } from "../api/useAnswer";
import type { CostOf } from "../api/types";
import { useStudio } from "../session/context";
import { useKept } from "../session/useKept";
import { count, plain } from "../text/numbers";
import { short, shown } from "../text/shown";
import { ListOffer } from "../ui/ListOffer";
import { Trouble } from "../ui/Trouble";
import { costOption, EVEN, RATIOS, ratioWords } from "./ratio";

export function CostSlider() {
  const { studio, view } = useStudio();
  const [place, setPlace] = useKept<number>("costs", EVEN);
  const ratio = RATIOS[place] ?? 1;
  const { data, refusal, isFresh } = useAnswer("costs", { steps: view.steps, ratio }, 120);
  const [first, second] = studio.classes.map((one) => short(one.text, 24)) as [string, string];
  const words = ratioWords(ratio, first, second);
  return (
    <section class="block" aria-labelledby="costs-title">
      <h3 id="costs-title">What errors cost</h3>
      <label class="slider">
        <span class="unseen">Cost of one error beside the other</span>
        <input
          type="range"
          min={0}
          max={RATIOS.length - 1}
          step={1}
          value={place}
          aria-valuetext={words}
          onInput={(event) => setPlace(Number(event.currentTarget.value))}
        />
        <span class="ends soft" aria-hidden="true">
          <span>missing {first} costs more</span>
          <span>missing {second} costs more</span>
        </span>
      </label>
      <p>{words}</p>
      {refusal && <Trouble refusal={refusal} />}
      {data && (
        <div class={isFresh ? "" : "stale"}>
          <p class="unseen" role="status">
            {shown(data.sentence)}
          </p>
          <table>
            <caption class="unseen">Costs of errors</caption>
            <thead>
              <tr>
                <th scope="col">{data.test ? "On held-out rows" : "On rows learned from"}</th>
                <th scope="col" class="number">
                  cost of a row
                </th>
                <th scope="col" class="number">
                  missed {second}
                </th>
                <th scope="col" class="number">
                  missed {first}
                </th>
              </tr>
            </thead>
            <tbody>
              <Row name="your list" one={data.test ?? data.learned} />
              <Row name="best list at this cost" one={data.best.test ?? data.best.learned} />
            </tbody>
          </table>
          {data.best.text !== view.text && (
            <details>
              <summary>The best list at this cost</summary>
              <ListOffer list={data.best} loss={null} label={`Best list at costs 1 : ${ratio}`} />
              <p class="soft">
                The {studio.loss_name} above still counts errors as it did. To argue at this cost,
                start the studio with <code>--cost '{costOption(ratio, first, second)}'</code>.
              </p>
            </details>
          )}
        </div>
      )}
    </section>
  );
}

function Row({ name, one }: { name: string; one: CostOf }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number strong">{plain(one.cost, 4)}</td>
      <td class="number">{count(one.n_false_first)}</td>
      <td class="number">{count(one.n_false_second)}</td>
    </tr>
  );
}
