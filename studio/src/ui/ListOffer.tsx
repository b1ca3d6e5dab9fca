// A whole list that can be taken in place of the one at hand: its rules, its price, a comparison.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { ChosenList, Step } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Disagreement } from "./Disagreement";
import { Price } from "./Price";
import { RuleLines } from "./RuleLines";

interface Props {
  list: ChosenList;
  /** Its loss, if it is known. */
  loss: number | null;
  /** What taking it is called in the history. */
  label: string;
}

export function ListOffer({ list, loss, label }: Props) {
  const { view, act } = useStudio();
  const [isCompared, setCompared] = useState(false);
  const choose: Step = { step: "choose", rules: list.rules, default: list.default };
  const compared = useAnswer("compare", isCompared ? { steps: view.steps, other: [choose] } : null);
  const isNow = list.text === view.text;
  return (
    <div class="offer">
      <RuleLines text={shown(list.text, "\n")} />
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={isNow}
          onClick={() => void act(label, [choose])}
        >
          <span>{isNow ? "This is your list" : "Take this list"}</span>
          {!isNow && loss !== null && <Price loss={loss} than={view.loss} />}
        </button>
        {!isNow && (
          <button type="button" aria-pressed={isCompared} onClick={() => setCompared(!isCompared)}>
            Compare
          </button>
        )}
      </div>
      {isCompared && !isNow && compared.isFresh && compared.data && (
        <Disagreement compared={compared.data} />
      )}
    </div>
  );
}
