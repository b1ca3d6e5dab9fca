// A few choices side by side, one of them taken: radio buttons that look like one bar.
import { useId } from "preact/hooks";

interface Props<T extends string | number> {
  label: string;
  options: readonly { value: T; label: string }[];
  chosen: T;
  onChoose(value: T): void;
}

export function Choice<T extends string | number>({ label, options, chosen, onChoose }: Props<T>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="choice-bar">
        {options.map((one) => (
          <label key={one.value}>
            <input
              type="radio"
              name={name}
              checked={one.value === chosen}
              onChange={() => onChoose(one.value)}
            />
            <span>{one.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
