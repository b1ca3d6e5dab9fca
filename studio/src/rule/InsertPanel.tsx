// A new rule: the best ones for its place, found by words.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Finder, findable } from "./Finder";

interface Props {
  number: number;
  onInserted(): void;
}

export function InsertPanel({ number, onInserted }: Props) {
  const { view, act } = useStudio();
  const [words, setWords] = useState("");
  const answer = useAnswer("insertions", ...findable(view.steps, number, words));
  return (
    <>
      <h2>A new rule {number}</h2>
      <Finder
        words={words}
        onWords={setWords}
        answer={answer}
        found={answer.data?.insertions}
        caption={`Rules to insert as number ${number}`}
        verb="Insert it"
        onChoose={async (one) => {
          const conditions = one.conditions.map((each) => each.condition);
          const label = `Insert “${shown(one.text)}” as rule ${number}`;
          if (await act(label, [{ step: "insert", number, conditions }])) onInserted();
        }}
      />
    </>
  );
}
