// Counts the list on every row of the table, when asked: one scan.
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";

export function Confirm() {
  const { view } = useStudio();
  const [isAsked, setAsked] = useState(false);
  useEffect(() => setAsked(false), [view]);
  const { data, refusal, isFresh } = useAnswer("confirm", isAsked ? { steps: view.steps } : null);
  return (
    <section class="block" aria-labelledby="confirm-title">
      <h3 id="confirm-title">On the whole table</h3>
      <button type="button" disabled={isAsked} onClick={() => setAsked(true)}>
        Confirm on all rows
      </button>
      <p role="status">
        {isAsked && !isFresh && <span class="waiting">Scanning the table …</span>}
        {isAsked && isFresh && data && shown(data.sentence)}
      </p>
      {isAsked && isFresh && refusal && <Trouble refusal={refusal} />}
    </section>
  );
}
