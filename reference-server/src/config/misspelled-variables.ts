import { isSimilar } from "../text/similar-names.js";

/** A variable that the server does not read, and the one that was probably meant. */
export interface MisspelledVariable {
  readonly variable: string;
  readonly meant: string;
}

/**
 * Finds variables with almost the name of one that the server reads, such as `AUTHZ_TRUSTED_PROXY`.
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
