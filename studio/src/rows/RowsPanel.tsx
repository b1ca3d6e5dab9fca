// Rows to look at and to explain: those of the table, or one that people type.
import type { WhichRows } from "../api/types";
import { useStudio } from "../session/context";
import { useKept } from "../session/useKept";
import { Choice } from "../ui/Choice";
import { RowTable } from "./RowTable";
import { TypedRow } from "./TypedRow";

type Kind = WhichRows | "typed";

export function RowsPanel() {
  const { studio } = useStudio();
  const [kind, setKind] = useKept<Kind>("rows", studio.n_test_rows > 0 ? "test" : "learned");
  const options: { value: Kind; label: string }[] = [
    ...(studio.n_test_rows > 0 ? [{ value: "test" as const, label: "held out" }] : []),
    { value: "learned", label: "learned from" },
    { value: "typed", label: "type one" },
  ];
  return (
    <>
      <h2>Explain a row</h2>
      <Choice label="Rows" options={options} chosen={kind} onChoose={(which) => setKind(which)} />
      {kind === "typed" ? <TypedRow /> : <RowTable key={kind} rows={kind} />}
    </>
  );
}
