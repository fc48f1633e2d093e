import { isDeepStrictEqual } from "node:util";

/** The names of the members in which two versions of an object differ. */
export function changedFields<Fields extends object>(before: Fields, after: Fields): readonly string[] {
  const names = Object.keys(after) as (keyof Fields & string)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
