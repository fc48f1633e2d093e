import { type Area, groups } from "../screens/area";

/** Every area of the console in the order of the navigation: each folder of `screens` that has an `area.ts`. */
export const areas: readonly Area[] = Object.values(
  import.meta.glob<Area>("../screens/*/area.ts", { eager: true, import: "area" }),
).sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || a.position - b.position);
