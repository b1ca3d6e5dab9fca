// The bar on top: what is looked at, undo and redo, files.
import { useLayoutEffect, useRef } from "preact/hooks";
import icon from "../public/icon.svg?inline";
import { Files } from "./files/Files";
import { useStudio } from "./session/context";
import { count } from "./text/numbers";
import { shown, short } from "./text/shown";
import { Icon } from "./ui/Icon";

export function Header() {
  const { studio, history, go, isBusy } = useStudio();
  const bar = useRef<HTMLElement>(null);
  const undone = history.entries[history.place];
  const redone = history.entries[history.place + 1];

  // At once, not after the next picture: a key pressed by then would see the list before.
  useLayoutEffect(() => {
    // The page, or the part of a notebook that is ours.
    const root = bar.current?.getRootNode();
    function onKeyDown(happened: Event) {
      const event = happened as KeyboardEvent;
      const isText = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
      if (!(event.ctrlKey || event.metaKey) || isText) return;
      const key = event.key.toLowerCase();
      const by = key === "y" || (key === "z" && event.shiftKey) ? 1 : key === "z" ? -1 : 0;
      const target = history.place + by;
      if (by === 0 || target < 0 || target >= history.entries.length) return;
      event.preventDefault();
      go(target);
    }
    root?.addEventListener("keydown", onKeyDown);
    return () => root?.removeEventListener("keydown", onKeyDown);
  }, [history, go]);

  return (
    <header class="top" ref={bar}>
      <div class="brand">
        <img src={icon} alt="" width={28} height={28} />
        <div>
          <h1>
            <span class="soft">samrule studio</span> {short(studio.target, 40)}
          </h1>
          <p class="soft" title={shown(studio.table)}>
            {short(studio.table, 48)}, {count(studio.n_rows)} rows
            {studio.n_test_rows > 0 && `, ${count(studio.n_test_rows)} more held out`}
            {studio.is_sample && ", a sample of a longer table"}
          </p>
        </div>
      </div>
      <div class="actions">
        <button
          type="button"
          disabled={history.place === 0}
          title={history.place === 0 ? "Nothing to undo" : `Undo: ${undone?.label} (Ctrl+Z)`}
          onClick={() => go(history.place - 1)}
        >
          <Icon name="undo" />
          <span>Undo</span>
        </button>
        <button
          type="button"
          disabled={!redone}
          title={redone ? `Redo: ${redone.label} (Ctrl+Shift+Z)` : "Nothing to redo"}
          onClick={() => go(history.place + 1)}
        >
          <Icon name="redo" />
          <span>Redo</span>
        </button>
        <Files />
      </div>
      <div class={isBusy ? "busy on" : "busy"} aria-hidden="true" />
    </header>
  );
}
