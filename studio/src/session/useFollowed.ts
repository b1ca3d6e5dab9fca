// Keeps looking at the same rule while the list changes around it.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { EditView } from "../api/types";
import { followed, type Focus } from "../list/focus";

export function useFollowed(view: EditView, focus: Focus, setFocus: (focus: Focus) => void): void {
  const before = useRef(view);
  useLayoutEffect(() => {
    const next = followed(focus, texts(before.current), texts(view));
    before.current = view;
    if (next !== focus) setFocus(next);
  }, [view]);
}

function texts(view: EditView): string[] {
  return view.rules.slice(0, -1).map((rule) => rule.text);
}
