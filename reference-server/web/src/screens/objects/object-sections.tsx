import { later } from "../../parts/later";

/** People with access to an object, and why. Loads after the page. */
export const AccessTo = later(() => import("./people-with-access"));

/** People who are signed in with an app. */
export const UsersOf = later(() => import("./people-of-app"));

/** The latest events about an object. */
export const HistoryOf = later(() => import("./recent-history"));
