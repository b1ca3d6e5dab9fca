// Files out (model, SQL, Python, report, edits) and edits in.
import { useRef, useState } from "preact/hooks";
import { useClient } from "../api/client";
import { asRefusal, type Refusal } from "../api/refusal";
import type { ExportKind } from "../api/types";
import { useStudio } from "../session/context";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { Trouble } from "../ui/Trouble";
import { download } from "./download";

const KINDS: { to: ExportKind; label: string; hint: string }[] = [
  { to: "model", label: "Model", hint: "for samrule.load and samrule predict" },
  { to: "edits", label: "Edits", hint: "everything you did, to replay" },
  { to: "report", label: "Report", hint: "a page for people" },
  { to: "python", label: "Python", hint: "a function without samrule" },
  { to: "markdown", label: "Markdown", hint: "a table for documents" },
];

export function Files() {
  const { studio, view, load } = useStudio();
  const { ask } = useClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  async function save(to: ExportKind, dialect?: string) {
    try {
      const file = await ask("export", { steps: view.steps, to, ...(dialect ? { dialect } : {}) });
      download(file.file_name, file.media_type, file.text);
      setRefusal(null);
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  }

  async function onFile(input: HTMLInputElement) {
    const file = input.files?.[0];
    input.value = "";
    if (file) load(file.name, await file.text());
  }

  const items = [
    ...KINDS.map(({ to, label, hint }) => ({ label, hint, onChoose: () => void save(to) })),
    ...studio.dialects.map((dialect) => ({
      label: `SQL for ${dialect}`,
      onChoose: () => void save("sql", dialect),
    })),
  ];
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept=".json,application/json"
        class="unseen"
        tabIndex={-1}
        aria-label="File of edits"
        onChange={(event) => void onFile(event.currentTarget)}
      />
      <button type="button" onClick={() => chooser.current?.click()} title="Open a file of edits">
        <Icon name="open" />
        <span>Open edits</span>
      </button>
      <Menu label="Export" icon="save" items={items} />
      {refusal && (
        <div class="float">
          <Trouble refusal={refusal} />
        </div>
      )}
    </>
  );
}
