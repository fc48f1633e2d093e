import type { Area } from "../app/area";
import { assignmentsArea } from "./assignments/area";
import { clientsArea } from "./clients/area";
import { explainArea } from "./explain/area";
import { groupsArea } from "./groups/area";
import { keysArea } from "./keys/area";
import { providersArea } from "./providers/area";
import { resourcesArea } from "./resources/area";
import { scopesArea } from "./scopes/area";
import { sessionsArea } from "./sessions/area";
import { usersArea } from "./users/area";

/** Every area of the console, in the order of the navigation. A new area is one line here. */
export const areas: readonly Area[] = [
  assignmentsArea,
  explainArea,
  scopesArea,
  resourcesArea,
  usersArea,
  groupsArea,
  sessionsArea,
  clientsArea,
  providersArea,
  keysArea,
];
