/** Limit that keeps the file names of agents readable. */
const longest = 60;

/** "Verträge prüfen" → `vertraege-pruefen`, as an editable suggestion. */
export function suggestId(title: string): string {
  const words = title
    .toLowerCase()
    .replaceAll("ä", "ae")
    .replaceAll("ö", "oe")
    .replaceAll("ü", "ue")
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-");
  return words.slice(0, longest).replaceAll(/^-+|-+$/g, "");
}
