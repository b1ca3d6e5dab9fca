// What people chose in a panel, kept while they look at another one.
import { useState } from "preact/hooks";
import { useStudio } from "./context";

/** As useState, but a component that comes back finds what it left under this name. */
export function useKept<T>(name: string, first: T): [T, (value: T) => void] {
  const { choices } = useStudio();
  const [value, setValue] = useState<T>(choices.has(name) ? (choices.get(name) as T) : first);
  return [
    value,
    (next) => {
      choices.set(name, next);
      setValue(next);
    },
  ];
}
