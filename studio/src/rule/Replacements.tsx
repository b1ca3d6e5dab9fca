// What could stand in a rule's place, the other rules as they are.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { RuleView } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";
import { Candidates } from "./Candidates";

const FEW = 6;
const MANY = 30;

export function Replacements({ rule }: { rule: RuleView }) {
  const { view, act } = useStudio();
  const [isLong, setLong] = useState(false);
  const asked = { steps: view.steps, number: rule.number, limit: MANY };
  const { data, refusal, isFresh } = useAnswer("replacements", asked);
  const found = data?.replacements ?? [];
  return (
    <section class={isFresh ? "block" : "block stale"} aria-labelledby="replacements-title">
      <h3 id="replacements-title">In its place</h3>
      {refusal && <Trouble refusal={refusal} />}
      {data && (
        <Candidates
          caption="Rules to put in its place"
          candidates={isLong ? found : found.slice(0, FEW)}
          verb="Put it in this rule's place"
          onChoose={(one) =>
            void act(`Rule ${rule.number}: ${shown(one.text)}`, [
              {
                step: "replace",
                number: rule.number,
                conditions: one.conditions.map((each) => each.condition),
              },
            ])
          }
        />
      )}
      {found.length > FEW && (
        <button type="button" class="link" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? "Show fewer" : `Show ${found.length - FEW} more`}
        </button>
      )}
    </section>
  );
}
