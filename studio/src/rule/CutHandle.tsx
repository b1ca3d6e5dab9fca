// The handle of a cut: dragged with a pointer, or moved with arrows and fixed with Enter.
import { useRef } from "preact/hooks";
import { keyedBorder, nearestBorder } from "./cut";

interface Props {
  /** Where it stands, and where the first bin begins, in pixels; how wide a bin is. */
  left: number;
  start: number;
  wide: number;
  border: number;
  n_borders: number;
  label: string;
  words: string;
  onMove(border: number): void;
  /** The border people settled on; null if they changed their mind. */
  onDone(border: number | null): void;
}

export function CutHandle(props: Props) {
  const { left, start, wide, border, n_borders, label, words, onMove, onDone } = props;
  const isDragged = useRef(false);

  function under(event: PointerEvent): number {
    const box = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    return nearestBorder(event.clientX - (box?.left ?? 0), start, wide, n_borders);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" || event.key === " ") onDone(border);
    else if (event.key === "Escape") onDone(null);
    else {
      const next = keyedBorder(event.key, border, n_borders);
      if (next === null) return;
      onMove(next);
    }
    event.preventDefault();
  }

  return (
    <div
      class="cut-handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={n_borders - 1}
      aria-valuenow={border}
      aria-valuetext={words}
      style={{ left: `${left}px` }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragged.current = true;
      }}
      onPointerMove={(event) => {
        if (isDragged.current) onMove(under(event));
      }}
      onPointerUp={(event) => {
        if (isDragged.current) onDone(under(event));
        isDragged.current = false;
      }}
      onPointerCancel={() => {
        isDragged.current = false;
        onDone(null);
      }}
    />
  );
}
