const LONGEST = 300;

/** Somebody else's words, as part of a sentence of ours: one line in quotes that they cannot close, cut when they are long. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll('"', "'").trim();
  return `"${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}"`;
}
