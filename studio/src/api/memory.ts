// Answers that never change are asked for once, also while the first is under way.

const MOST = 200;

/** The same function, remembering its last answers; what failed is asked again. */
export function remembered<Question, T>(
  ask: (question: Question) => Promise<T>,
): (question: Question) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (question) => {
    const key = JSON.stringify(question);
    const found = known.get(key) ?? ask(question);
    // The last asked for stands last; the first are forgotten.
    known.delete(key);
    known.set(key, found);
    found.catch(() => known.delete(key));
    for (const old of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(old);
    }
    return found;
  };
}
