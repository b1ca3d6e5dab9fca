// Light or dark as the notebook is, which has a theme of its own: its letters tell.

/** Keep an element's colours those of what is around it; what is returned ends that. */
export function followTheme(host: HTMLElement): () => void {
  const follow = () => {
    const around = host.parentElement;
    if (around) host.style.colorScheme = isLight(getComputedStyle(around).color) ? "dark" : "light";
  };
  follow();
  const observer = new MutationObserver(follow);
  for (const one of [document.documentElement, document.body]) {
    observer.observe(one, { attributes: true });
  }
  return () => observer.disconnect();
}

/** Whether a colour as browsers write it, rgb(0 to 255, …), is nearer to white than to black. */
export function isLight(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 127.5;
}
