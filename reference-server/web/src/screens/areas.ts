import type { Area } from "../app/area";
import { appHostsArea } from "./app-hosts/area";
import { assignmentsArea } from "./assignments/area";
import { auditArea } from "./audit/area";
import { clientsArea } from "./clients/area";
import { connectorsArea } from "./connectors/area";
import { explainArea } from "./explain/area";
import { groupsArea } from "./groups/area";
import { keysArea } from "./keys/area";
import { overviewArea } from "./overview/area";
import { providersArea } from "./providers/area";
import { resourcesArea } from "./resources/area";
import { scopesArea } from "./scopes/area";
import { sessionsArea } from "./sessions/area";
import { settingsArea } from "./settings/area";
import { skillsArea } from "./skills/area";
import { usersArea } from "./users/area";

/** Every area of the console, in the order of the navigation. A new area is one line here. */
export const areas: readonly Area[] = [
  overviewArea,
  assignmentsArea,
  explainArea,
  scopesArea,
  resourcesArea,
  connectorsArea,
  skillsArea,
  usersArea,
  groupsArea,
  sessionsArea,
  clientsArea,
  appHostsArea,
  providersArea,
  keysArea,
  auditArea,
  settingsArea,
];
