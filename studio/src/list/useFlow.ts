// Cards glide from their old place to the new one when the list changes, unless people asked for
// stillness.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const STILL = "(prefers-reduced-motion: reduce)";

/** Watch the children of a list, by their data-key; `state` is what changes them. */
export function useFlow(list: RefObject<HTMLElement | null>, state: unknown): void {
  const tops = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    const cards = [...(list.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
    const now = new Map(cards.map((card) => [card.dataset.key ?? "", card.offsetTop]));
    if (!matchMedia(STILL).matches) {
      for (const card of cards) {
        const key = card.dataset.key ?? "";
        const old = tops.current.get(key);
        if (old === undefined) {
          if (tops.current.size) card.animate([{ opacity: 0 }, { opacity: 1 }], 220);
        } else if (old !== now.get(key)) {
          const from = old - (now.get(key) ?? old);
          card.animate([{ transform: `translateY(${from}px)` }, { transform: "none" }], {
            duration: 260,
            easing: "cubic-bezier(.2,.7,.3,1)",
          });
        }
      }
    }
    tops.current = now;
  }, [list, state]);
}
