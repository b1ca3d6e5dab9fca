// How wide a picture may be: it is drawn in real pixels, so that its letters keep their size.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function useWidth<T extends Element>(least = 240): [RefObject<T | null>, number] {
  const place = useRef<T>(null);
  const [width, setWidth] = useState(least);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(least, Math.floor(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [least]);
  return [place, width];
}
