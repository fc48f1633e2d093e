/** The largest distance of a typo: one letter wrong, missing or too many, or two exchanged. */
const slips = 2;

/** Whether one name is probably a typo of the other, or its singular: PROXY for PROXIES is three letters off. */
export function isSimilar(one: string, other: string): boolean {
  return singular(one) === singular(other) || distance(one, other) <= slips;
}

function singular(name: string): string {
  return name.replaceAll(/IES(?=_|$)/gi, "Y").replaceAll(/S(?=_|$)/gi, "");
}

/** Levenshtein's distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of one.split("").entries()) {
    const next = [index + 1];
    for (const [column, wanted] of other.split("").entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
