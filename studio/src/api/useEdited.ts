// What steps would make of the list, before anybody takes them: for prices beside buttons.
import { useEffect, useState } from "preact/hooks";
import { useClient } from "./client";
import { asRefusal, type Refusal } from "./refusal";
import type { EditView, Step } from "./types";
import type { Answer } from "./useAnswer";

/** Null asks nothing. `wait` milliseconds pass first, so that quick changes do not queue up. */
export function useEdited(steps: Step[] | null, wait = 0): Answer<EditView> {
  const { edited } = useClient();
  const question = steps === null ? null : JSON.stringify(steps);
  const [state, setState] = useState<{
    question: string | null;
    data: EditView | null;
    refusal: Refusal | null;
  }>({ question: null, data: null, refusal: null });

  useEffect(() => {
    if (question === null) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      edited(JSON.parse(question) as Step[]).then(
        (data) => isWanted && setState({ question, data, refusal: null }),
        (error: unknown) =>
          isWanted && setState({ question, data: null, refusal: asRefusal(error) }),
      );
    }, wait);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [edited, question, wait]);

  return { data: state.data, refusal: state.refusal, isFresh: state.question === question };
}
