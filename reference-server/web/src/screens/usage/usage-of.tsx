import { later } from "../../parts/later";

/** The usage of an object, for its page, which does not wait for charts. */
export const UsageOf = later(() => import("./usage-section"));

/** The people who were denied a permission. */
export const DenialsOf = later(() => import("./denials"));

/** How often a skill was read, by the id that agents see. */
export const ReadsOf = later(() => import("./skill-section"));
