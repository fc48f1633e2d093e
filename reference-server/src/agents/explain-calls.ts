import {
  type AgentCalls,
  briefFor,
  type ConnectionAnswer,
  connectionBrief,
  type PermissionRule,
} from "@authz/agent-tools";
import { isScope } from "@authz/dpop/jwt";
import { explanationDocument } from "../account/me/documents.js";
import { connectorRequestMembers, requestMembers } from "../account/me/access-requests/request-members.js";
import { explainOwn } from "../account/me/explain-own.js";
import { isUndecided, missingPermissions } from "../connectors/connect/requirements.js";
import type { Permissions } from "../permissions/effective-scopes.js";
import { directoryAway } from "../permissions/groups/directory-away.js";
import { coveredPlace, placesCovering } from "../protocol/request-places.js";
import type { Connector } from "../store/connectors.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import type { AgentCaller } from "./agent-caller.js";
import { AgentRefusal } from "./agent-refusal.js";
import { howToConnect } from "./describe-refusal.js";
import { serviceRefusals } from "./refusals.js";
import { resourceAt } from "../permissions/resource-at.js";

export interface ExplainOptions {
  readonly store: Pick<
    Store,
    "accessRequests" | "assignments" | "connectors" | "connections" | "resources" | "settings"
  >;
  readonly issuer: string;
  readonly user: User;
  readonly permissions: Permissions;
  /** How far the client reaches, whoever uses it. */
  readonly client: AgentCaller["client"];
}

/** More than a service has; each that is missing costs a look-up. */
const mostScopes = 50;

/** Explains what one person may do, in the words that people read with `authz why`. */
export function createExplainCall(options: ExplainOptions): AgentCalls["explain"] {
  return async ({ url, connection, scopes = [] }) => {
    const address = readAddress(url);
    if (connection !== undefined) return await explainConnection(address, connection, options);
    return await explainService(address, scopes, options);
  };
}

async function explainService(
  url: URL,
  scopes: readonly string[],
  { store, user, permissions, client }: ExplainOptions,
): Promise<object> {
  if (scopes.length > mostScopes)
    throw new AgentRefusal("invalid_request", `Name at most ${String(mostScopes)} scopes.`);
  const resource = resourceAt(url, await store.resources.listEnabled());
  if (resource === undefined) throw noService();
  const malformed = scopes.filter((scope) => !isScope(scope));
  if (malformed.length > 0) throw serviceRefusals.unknownScopes(resource, malformed);
  const own = await explainOwn({ permissions, resource: resource.key, scopes }, store);
  if (own === undefined) throw noService();
  const { allowed, granted, missing, administrators } = explanationDocument(own);
  const target = { kind: "service", target: resource.key } as const;
  const caller = { user, client };
  const asking = await requestMembers({ caller, target, decision: own.decision }, store);
  const { installationName } = await store.settings.get();
  const asked = scopes.length > 0;
  return briefFor({
    plan: { resource, scopes: asked ? scopes : resource.supportedScopes },
    explanation: {
      allowed,
      granted: granted.map(({ scope, by }) => ({ scope, by: by as readonly PermissionRule[] })),
      missing: missing.map((each) => ({
        ...each,
        wouldBeGrantedBy: each.wouldBeGrantedBy as readonly PermissionRule[],
      })),
      administrators: {
        people: administrators.people.map((person) => ({
          email: person.email,
          name: person.name ?? undefined,
        })),
        groups: administrators.groups,
      },
      ...asking,
    },
    me: meOf(user, installationName),
    asked,
  });
}

async function explainConnection(
  url: URL,
  key: string,
  { store, issuer, user, permissions, client }: ExplainOptions,
): Promise<object> {
  const connector = key.includes("\0") ? undefined : await store.connectors.findByKey(key);
  if (connector === undefined)
    throw new AgentRefusal("not_found", "There is no connection with this name. Call list_connections.");
  if (isUndecided(connector, permissions)) throw directoryAway();
  const { name, methods, requestPrefixes } = connector;
  const { installationName } = await store.settings.get();
  const me = meOf(user, installationName);
  const brief = (more: Partial<ConnectionAnswer["connection"]>, obstacle?: string) => {
    const nothing = { missingScopes: [], account: { label: undefined }, grantedScopes: [] };
    return connectionBrief({ connection: { name, methods, ...nothing, ...more }, obstacle, me });
  };
  const missing = missingPermissions(connector, permissions);
  if (missing.length > 0) {
    const caller = { user, client };
    const asking = await connectorRequestMembers(connector, { caller, permissions }, store);
    return brief({ missingScopes: missing, ...asking });
  }
  if (!connector.enabled)
    return brief({}, `An administrator has disabled ${name}. Ask whether it will be back.`);
  if (!isCovered(url, connector))
    return { ...brief({}, `Requests through ${name} go to these addresses only.`), requestPrefixes };
  const own = { userId: user.id, connectorId: connector.id };
  const connection = await store.connections.findOwn(own);
  if (connection?.state !== "connected")
    return brief({}, `No account at ${name} can be used now. ${howToConnect(name, issuer)}`);
  const { account, grantedScopes } = connection;
  return brief({ account: { label: account.label ?? undefined }, grantedScopes });
}

function meOf(user: User, installationName: string): ConnectionAnswer["me"] {
  return {
    subject: user.id,
    email: user.email ?? undefined,
    name: user.name ?? undefined,
    installation: { name: installationName },
  };
}

function isCovered(url: URL, { requestPrefixes }: Connector): boolean {
  const places = placesCovering(url);
  return requestPrefixes.some((prefix) => places.includes(coveredPlace(prefix) ?? ""));
}

function readAddress(text: string): URL {
  if (!text.includes("\0") && URL.canParse(text)) return new URL(text);
  throw new AgentRefusal(
    "invalid_request",
    "The url must be an absolute address, such as https://host/path.",
  );
}

function noService(): AgentRefusal {
  return new AgentRefusal(
    "not_found",
    "No service that you can use is registered at this address. Skills say which addresses there are.",
  );
}
