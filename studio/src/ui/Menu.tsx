// A button that opens a short menu; Escape or a click elsewhere closes it.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./Icon";
import { moved } from "./Tabs";

export interface MenuItem {
  label: string;
  hint?: string;
  onChoose(): void;
}

interface Props {
  label: string;
  icon: IconName;
  items: readonly MenuItem[];
}

export function Menu({ label, icon, items }: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!isOpen) return;
    entries(root.current)[0]?.focus();
    const close = (event: Event) => {
      if (root.current && !event.composedPath().includes(root.current)) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [isOpen]);

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) return;
    if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    }
    const all = entries(root.current);
    const next = moved(event.key, all.indexOf(event.target as HTMLElement), all.length);
    if (next === null) return;
    event.preventDefault();
    all[next]?.focus();
  }

  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        <span>{label}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && (
        <div class="menu-items" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={item.label}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                item.onChoose();
              }}
            >
              <span>{item.label}</span>
              {item.hint !== undefined && <small>{item.hint}</small>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function entries(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
}
