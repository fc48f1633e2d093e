import type { Area } from "../app/area";
import { scopesArea } from "./scopes/area";

/** Every area of the console, in the order of the navigation. A new area is one line here. */
export const areas: readonly Area[] = [scopesArea];
