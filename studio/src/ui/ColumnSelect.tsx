// One of the columns that rules can ask about, or none yet.
import { useStudio } from "../session/context";
import { short } from "../text/shown";

interface Props {
  /** Empty for none. */
  chosen: string;
  onChoose(column: string): void;
}

export function ColumnSelect({ chosen, onChoose }: Props) {
  const { studio } = useStudio();
  return (
    <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">Choose a column …</option>
      {studio.columns.map((one) => (
        <option key={one.name} value={one.name}>
          {short(one.name)}
        </option>
      ))}
    </select>
  );
}
