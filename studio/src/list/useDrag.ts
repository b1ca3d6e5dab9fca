// Dragging a card by its handle, with mouse, pen or finger; where it is dropped is its new place.
import { useRef, useState } from "preact/hooks";

interface Drag {
  key: string;
  from: number;
  to: number;
  /** How far the pointer moved. */
  by: number;
  height: number;
}

export interface Dragging {
  /** How far a card is drawn from its place. */
  shift(place: number): number;
  isDragged(place: number): boolean;
  handlers(place: number): {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(event: PointerEvent): void;
    onPointerCancel(event: PointerEvent): void;
  };
}

/** `onDrop` hears the places, from 0, of a card before and after. */
export function useDrag(onDrop: (from: number, to: number) => void): Dragging {
  const [drag, setDrag] = useState<Drag | null>(null);
  const start = useRef<{ y: number; middles: number[]; height: number } | null>(null);

  function onPointerDown(place: number, event: PointerEvent) {
    const handle = event.currentTarget as HTMLElement;
    const card = handle.closest<HTMLElement>("[data-key]");
    const cards = [...(card?.parentElement?.querySelectorAll<HTMLElement>("[data-rule]") ?? [])];
    if (!card || event.button !== 0) return;
    handle.setPointerCapture(event.pointerId);
    const boxes = cards.map((one) => one.getBoundingClientRect());
    const next = boxes[place + 1] ?? boxes[place - 1];
    const own = boxes[place];
    const height = next && own ? Math.abs(next.top - own.top) : card.offsetHeight;
    start.current = {
      y: event.clientY,
      middles: boxes.map((box) => box.top + box.height / 2),
      height,
    };
    setDrag({ key: card.dataset.key ?? "", from: place, to: place, by: 0, height });
  }

  function onPointerMove(place: number, event: PointerEvent) {
    const begun = start.current;
    if (!begun) return;
    const by = event.clientY - begun.y;
    const middle = (begun.middles[place] ?? 0) + by;
    const above = begun.middles.filter((one, other) => other !== place && one < middle).length;
    setDrag((old) => old && { ...old, by, to: above });
  }

  function end(isDrop: boolean) {
    if (start.current && drag && isDrop && drag.to !== drag.from) onDrop(drag.from, drag.to);
    start.current = null;
    setDrag(null);
  }

  return {
    isDragged: (place) => drag?.from === place,
    shift: (place) => {
      if (!drag) return 0;
      if (place === drag.from) return drag.by;
      if (place > drag.from && place <= drag.to) return -drag.height;
      if (place < drag.from && place >= drag.to) return drag.height;
      return 0;
    },
    handlers: (place) => ({
      onPointerDown: (event) => onPointerDown(place, event),
      onPointerMove: (event) => onPointerMove(place, event),
      onPointerUp: () => end(true),
      onPointerCancel: () => end(false),
    }),
  };
}
