// A question that is asked again when its words change; the old answer stays until
// the new one is here, so that nothing flickers.
import { useEffect, useState } from "preact/hooks";
import { useClient } from "./client";
import { asRefusal, isAbandoned, type Refusal } from "./refusal";
import type { Routes } from "./types";

export interface Answer<T> {
  data: T | null;
  /** Whether the data belong to what is asked now. */
  isFresh: boolean;
  refusal: Refusal | null;
}

/** Ask a route; null asks nothing. `wait` milliseconds pass first, for sliders. */
export function useAnswer<Name extends keyof Routes>(
  name: Name,
  body: Routes[Name]["asks"] | null,
  wait = 0,
): Answer<Routes[Name]["answers"]> {
  type Data = Routes[Name]["answers"];
  const { ask } = useClient();
  const question = body === null ? null : JSON.stringify(body);
  const [state, setState] = useState<{
    question: string | null;
    data: Data | null;
    refusal: Refusal | null;
  }>({ question: null, data: null, refusal: null });

  useEffect(() => {
    if (question === null) return;
    const abandon = new AbortController();
    const timer = setTimeout(() => {
      ask(name, JSON.parse(question) as Routes[Name]["asks"], abandon.signal).then(
        (data) => setState({ question, data, refusal: null }),
        (error: unknown) => {
          if (isAbandoned(error)) return;
          setState({ question, data: null, refusal: asRefusal(error) });
        },
      );
    }, wait);
    return () => {
      clearTimeout(timer);
      abandon.abort();
    };
  }, [ask, name, question, wait]);

  return { data: state.data, refusal: state.refusal, isFresh: state.question === question };
}
