// Why a row gets its prediction: rule by rule, until one applies.
import type { Explanation } from "../api/types";
import { useStudio } from "../session/context";
import { percent } from "../text/numbers";
import { shown } from "../text/shown";

export function ExplanationView({ one }: { one: Explanation }) {
  const { studio } = useStudio();
  const place = studio.classes.findIndex((each) => each.text === one.prediction_text);
  const isRight = one.actual === null || one.actual === one.prediction_text;
  return (
    <div class="explanation" role="status">
      <p class="result">
        <span class={`swatch class-${place % 8}`} /> <strong>{shown(one.prediction_text)}</strong>,
        with probability {percent(one.probability)}
        {one.actual !== null && (
          <span class={isRight ? "better" : "worse"}>
            {isRight ? "; it is so" : `; it is ${shown(one.actual)}`}
          </span>
        )}
      </p>
      <ol class="trail">
        {one.sentences.map((sentence, line) => (
          <li key={line} class={one.trail[line]?.applies ? "applies" : "soft"}>
            {shown(sentence)}
          </li>
        ))}
      </ol>
    </div>
  );
}
