import type { Area } from "../app/area";
import { assignmentsArea } from "./assignments/area";
import { explainArea } from "./explain/area";
import { resourcesArea } from "./resources/area";
import { scopesArea } from "./scopes/area";

/** Every area of the console, in the order of the navigation. A new area is one line here. */
export const areas: readonly Area[] = [assignmentsArea, explainArea, scopesArea, resourcesArea];
