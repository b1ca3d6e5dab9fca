// Small line drawings; always beside words or under a label, so screen readers skip them.

const shapes = {
  pin: "M7 3h6l-1 6 3 3H5l3-3-1-6M10 12v5",
  grip: "M8 5h.01M8 10h.01M8 15h.01M12 5h.01M12 10h.01M12 15h.01",
  up: "M10 16V4M5 9l5-5 5 5",
  down: "M10 4v12M5 11l5 5 5-5",
  remove: "M5 5l10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  undo: "M8 4 4 8l4 4M4 8h7a5 5 0 0 1 0 10H8",
  redo: "m12 4 4 4-4 4M16 8H9a5 5 0 0 0 0 10h3",
  optimize: "M3 14l4-5 4 3 6-8M12 4h5v5",
  forbid: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14M5 5l10 10",
  require: "M4 10.5 8.5 15 16 5.5",
  save: "M10 3v10M6 9.5l4 4 4-4M4 17h12",
  open: "M10 14V4M6 7.5l4-4 4 4M4 17h12",
  chevron: "m5 8 5 5 5-5",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
