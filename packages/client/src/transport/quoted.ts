const longest = 300;

/** Text from outside as part of a sentence of ours: one line in quotes that it cannot close, cut when it is long. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll('"', "'").trim();
  return `"${line.length > longest ? `${line.slice(0, longest)}…` : line}"`;
}
