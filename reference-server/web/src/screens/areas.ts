import { type Area, groups } from "../app/area";

/** Every area of the console, in the order of the navigation: each folder here that has an `area.ts`. */
export const areas: readonly Area[] = Object.values(
  import.meta.glob<Area>("./*/area.ts", { eager: true, import: "area" }),
).sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || a.position - b.position);
