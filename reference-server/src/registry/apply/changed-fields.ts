import { isDeepStrictEqual } from "node:util";

/** The names of the members in which two versions of a record differ. */
export function changedFields<Record extends object>(before: Record, after: Record): readonly string[] {
  const names = Object.keys(after) as (keyof Record & string)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
