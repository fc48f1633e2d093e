/** A variable that nobody reads, and the one that was probably meant. */
export interface MisspelledVariable {
  readonly variable: string;
  readonly meant: string;
}

/** One letter wrong, missing or too much, or two exchanged, is a slip; more is another name. */
const slips = 2;

/**
 * The variables whose names are almost those of variables that are read, such as `AUTHZ_TRUSTED_PROXY`.
 *
 * Without a word about it an optional setting would quietly have its default. Names that resemble nothing are other programs'.
 */
export function findMisspelledVariables(
  names: readonly string[],
  known: ReadonlySet<string>,
): readonly MisspelledVariable[] {
  return names
    .filter((name) => !known.has(name) && /^AUTHZ?_/.test(name))
    .flatMap((variable) => {
      const plain = variable.replace(/_FILE$/, "");
      const meant = [...known].find((name) => isSimilar(plain, name));
      return known.has(plain) || meant === undefined ? [] : [{ variable, meant }];
    });
}

/**
 * The variable that was probably meant to be the missing one, whatever it begins with. A variable that is read is
 * never a slip.
 */
export function findLikelySlip(
  missing: string,
  names: readonly string[],
  known: ReadonlySet<string>,
): string | undefined {
  return names.find((name) => {
    const plain = name.toUpperCase().replace(/_FILE$/, "");
    return !known.has(name) && !known.has(name.replace(/_FILE$/, "")) && isSimilar(plain, missing);
  });
}

/** Also a plural in place of a singular: PROXY for PROXIES is three letters off. */
function isSimilar(one: string, other: string): boolean {
  return singular(one) === singular(other) || distance(one, other) <= slips;
}

function singular(name: string): string {
  return name.replaceAll(/IES(?=_|$)/g, "Y").replaceAll(/S(?=_|$)/g, "");
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
