// A list as plain text, a line per rule.

export function RuleLines({ text }: { text: string }) {
  return <pre class="lines">{text}</pre>;
}
