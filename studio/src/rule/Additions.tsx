// One more condition for a rule: the best ones, found by words.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { Candidate, RuleView } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Icon } from "../ui/Icon";
import { Finder, findable } from "./Finder";

export function Additions({ rule }: { rule: RuleView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="block" aria-labelledby="additions-title">
      <h3 id="additions-title">One more condition</h3>
      {isOpen && <Choose rule={rule} onDone={() => setOpen(false)} />}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "remove" : "plus"} />
        <span>{isOpen ? "Leave it as it is" : "Add a condition"}</span>
      </button>
    </section>
  );
}

function Choose({ rule, onDone }: { rule: RuleView; onDone(): void }) {
  const { view, act } = useStudio();
  const [words, setWords] = useState("");
  const { number } = rule;
  const answer = useAnswer("additions", ...findable(view.steps, number, words));

  async function onChoose(one: Candidate) {
    const added = one.conditions.at(-1);
    if (!added) return;
    const label = `Rule ${number}: and ${shown(added.text)}`;
    const { condition } = added;
    if (await act(label, [{ step: "add_condition", number, condition }])) onDone();
  }

  return (
    <Finder
      words={words}
      onWords={setWords}
      answer={answer}
      found={answer.data?.additions}
      caption={`Rule ${number} with one more condition`}
      verb="Add this condition"
      onChoose={(one) => void onChoose(one)}
    />
  );
}
