// Tabs as the ARIA practices have them: arrows move, one panel shows.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface Tab<Name extends string> {
  name: Name;
  label: string;
}

interface Props<Name extends string> {
  label: string;
  tabs: readonly Tab<Name>[];
  chosen: Name;
  onChoose(name: Name): void;
  children: ComponentChildren;
}

export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  children,
}: Props<Name>) {
  const bar = useRef<HTMLDivElement>(null);
  const place = tabs.findIndex((tab) => tab.name === chosen);

  function onKeyDown(event: KeyboardEvent) {
    const next = moved(event.key, place, tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (next === null || !tab) return;
    event.preventDefault();
    onChoose(tab.name);
    bar.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  }

  return (
    <div class="tabs">
      <div class="tab-bar" role="tablist" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.name}
            id={`tab-${tab.name}`}
            aria-selected={tab.name === chosen}
            aria-controls={`panel-${chosen}`}
            tabIndex={tab.name === chosen ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        class="panel"
        role="tabpanel"
        key={chosen}
        id={`panel-${chosen}`}
        aria-labelledby={`tab-${chosen}`}
        tabIndex={0}
      >
        {children}
      </div>
    </div>
  );
}

/** Where a key leads among so many things in a row; null if it is no such key. */
export function moved(key: string, place: number, length: number): number | null {
  if (key === "ArrowRight" || key === "ArrowDown") return (place + 1) % length;
  if (key === "ArrowLeft" || key === "ArrowUp") return (place - 1 + length) % length;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  return null;
}
