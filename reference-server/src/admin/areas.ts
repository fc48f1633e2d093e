import { accessArea } from "./access/routes.js";
import { accessRequestArea } from "./access-requests/routes.js";
import { appHostArea } from "./app-hosts/routes.js";
import { approvalArea } from "./approvals/routes.js";
import { assignmentArea } from "./assignments/routes.js";
import { auditArea } from "./audit/routes.js";
import { catalogArea } from "./catalogs/routes.js";
import { clientArea } from "./clients/routes.js";
import { connectionArea } from "./connections/routes.js";
import { connectorKeyArea } from "./connector-keys/routes.js";
import { connectorArea } from "./connectors/routes.js";
import { documentationArea } from "./documentation/routes.js";
import type { AdminArea } from "./door/area.js";
import { explainArea } from "./explain/routes.js";
import { groupArea } from "./groups/routes.js";
import { identityProviderArea } from "./identity-providers/routes.js";
import { overviewArea } from "./overview/routes.js";
import { peopleArea } from "./people/routes.js";
import { proposalArea } from "./proposals/routes.js";
import { resourceArea } from "./resources/routes.js";
import { scopeArea } from "./scopes/routes.js";
import { ruleArea } from "./rules/routes.js";
import { sessionArea } from "./session/routes.js";
import { sessionsArea } from "./sessions/routes.js";
import { settingsArea } from "./settings/routes.js";
import { signalStreamArea } from "./signal-streams/routes.js";
import { signingKeyArea } from "./signing-keys/routes.js";
import { skillArea } from "./skills/routes.js";
import { stopArea } from "./stops/routes.js";
import { usageArea } from "./usage/routes.js";
import { viewArea } from "./views/routes.js";

/** Everything in the administration API, in the order of its documentation. A new area is one line here. */
export const areas: readonly AdminArea[] = [
  sessionArea,
  viewArea,
  // Permissions.
  scopeArea,
  resourceArea,
  assignmentArea,
  explainArea,
  accessArea,
  accessRequestArea,
  approvalArea,
  // People and clients.
  peopleArea,
  groupArea,
  clientArea,
  appHostArea,
  identityProviderArea,
  signalStreamArea,
  sessionsArea,
  stopArea,
  // Accounts at third parties.
  connectorArea,
  connectionArea,
  connectorKeyArea,
  ruleArea,
  // Operation.
  skillArea,
  proposalArea,
  catalogArea,
  signingKeyArea,
  settingsArea,
  usageArea,
  auditArea,
  overviewArea,
  documentationArea,
];
