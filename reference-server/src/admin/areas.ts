import { assignmentArea } from "./assignments/routes.js";
import { auditArea } from "./audit/routes.js";
import { catalogArea } from "./catalogs/routes.js";
import { clientArea } from "./clients/routes.js";
import { connectionArea } from "./connections/routes.js";
import { connectorKeyArea } from "./connector-keys/routes.js";
import { connectorArea } from "./connectors/routes.js";
import { documentationArea } from "./documentation/routes.js";
import { explainArea } from "./explain/routes.js";
import { groupArea } from "./groups/routes.js";
import type { AdminArea, AreaOptions } from "./http/route.js";
import { identityProviderArea } from "./identity-providers/routes.js";
import { overviewArea } from "./overview/routes.js";
import { peopleArea } from "./people/routes.js";
import { resourceArea } from "./resources/routes.js";
import { scopeArea } from "./scopes/routes.js";
import { sessionArea } from "./session/routes.js";
import { sessionsArea } from "./sessions/routes.js";
import { settingsArea } from "./settings/routes.js";
import { signingKeyArea } from "./signing-keys/routes.js";
import { skillArea } from "./skills/routes.js";

/** Everything in the admin API, in the order of its documentation. A new area is one line here. */
export function createAreas(options: AreaOptions): readonly AdminArea[] {
  const areas = [
    sessionArea(),
    // Permissions.
    scopeArea(),
    resourceArea(options),
    assignmentArea(),
    explainArea(),
    // People and clients.
    peopleArea(),
    groupArea(options),
    clientArea(),
    identityProviderArea(options),
    sessionsArea(),
    // Accounts at third parties.
    connectorArea(options),
    connectionArea(),
    connectorKeyArea(),
    // Operation.
    skillArea(),
    catalogArea(),
    signingKeyArea(),
    settingsArea(),
    auditArea(),
    overviewArea(),
  ];
  return [...areas, documentationArea(areas, options)];
}
