// The page: the list on the left, what can be known about it on the right.
import { useEffect, useRef, useState } from "preact/hooks";
import { AlternativesPanel } from "./alternatives/AlternativesPanel";
import type { EditView, Studio } from "./api/types";
import { GroupsPanel } from "./groups/GroupsPanel";
import { Header } from "./Header";
import { HistoryPanel } from "./history/HistoryPanel";
import type { Focus } from "./list/focus";
import { Optimize } from "./list/Optimize";
import { RuleList } from "./list/RuleList";
import { Verdict } from "./list/Verdict";
import { Wishes } from "./list/Wishes";
import { QualityPanel } from "./quality/QualityPanel";
import { RowsPanel } from "./rows/RowsPanel";
import { InsertPanel } from "./rule/InsertPanel";
import { RulePanel } from "./rule/RulePanel";
import { SessionProvider } from "./session/context";
import type { History } from "./session/history";
import type { Shelf } from "./session/shelf";
import { useFollowed } from "./session/useFollowed";
import { useSession } from "./session/useSession";
import { shown } from "./text/shown";
import { Icon } from "./ui/Icon";
import { Tabs } from "./ui/Tabs";

const TABS = [
  { name: "rule", label: "Rule" },
  { name: "alternatives", label: "Alternatives" },
  { name: "quality", label: "Quality" },
  { name: "groups", label: "Groups" },
  { name: "rows", label: "Rows" },
  { name: "history", label: "History" },
] as const;

type TabName = (typeof TABS)[number]["name"];

/** Where the panel stands below the list, on a narrow screen, it is brought into view. */
function bringIntoView(panel: HTMLElement | null) {
  if (!panel || panel.getBoundingClientRect().top < 0.6 * innerHeight) return;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  panel.scrollIntoView({ block: "start", behavior: isStill ? "auto" : "smooth" });
}

interface Props {
  studio: Studio;
  first: EditView;
  restored: History;
  shelf: Shelf;
}

export function App({ studio, first, restored, shelf }: Props) {
  const session = useSession(studio, first, restored, shelf);
  const panel = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useState<TabName>("rule");
  const [focus, setFocus] = useState<Focus>({ kind: "rule", number: 1 });

  useFollowed(session.view, focus, setFocus);

  // What had the keyboard may be gone: the panel takes it, so that it is not lost.
  useEffect(() => {
    if (document.activeElement === document.body && session.history.entries.length > 1) {
      focusPanel({ preventScroll: true });
    }
  }, [session.view]);

  function focusPanel(options?: FocusOptions) {
    panel.current?.querySelector<HTMLElement>("[role=tabpanel]")?.focus(options);
  }

  // The address of a notebook is not ours to change.
  function onSkip(event: Event) {
    event.preventDefault();
    focusPanel();
  }

  function onFocus(next: Focus) {
    setFocus(next);
    setTab("rule");
    bringIntoView(panel.current);
  }

  return (
    <SessionProvider value={session}>
      <div class="studio">
        <a class="skip" href="#panel" onClick={onSkip}>
          Skip the list
        </a>
        <Header />
        {session.refusal && (
          <div class="refusal" role="alert">
            <p>
              <strong>{shown(session.refusal.message)}</strong>
              {session.refusal.hint !== null && <span> Hint: {shown(session.refusal.hint)}</span>}
            </p>
            <button type="button" class="bare" aria-label="Dismiss" onClick={session.dismiss}>
              <Icon name="remove" />
            </button>
          </div>
        )}
        <main>
          <div class="left">
            <Verdict />
            <RuleList
              focus={tab === "rule" ? focus : { kind: "rule", number: 0 }}
              onFocus={onFocus}
            />
            <Optimize />
            <Wishes />
          </div>
          <div class="look" id="panel" ref={panel}>
            <Tabs label="Look at" tabs={TABS} chosen={tab} onChoose={(name) => setTab(name)}>
              {looked()}
            </Tabs>
          </div>
        </main>
      </div>
    </SessionProvider>
  );

  function looked() {
    switch (tab) {
      case "alternatives":
        return <AlternativesPanel />;
      case "quality":
        return <QualityPanel />;
      case "groups":
        return <GroupsPanel />;
      case "rows":
        return <RowsPanel />;
      case "history":
        return <HistoryPanel />;
      case "rule":
        return focus.kind === "insert" ? (
          <InsertPanel
            key={focus.number}
            number={focus.number}
            onInserted={() => setFocus({ kind: "rule", number: focus.number })}
          />
        ) : (
          <RulePanel number={focus.number} />
        );
    }
  }
}
