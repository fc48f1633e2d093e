import {
  type AgentCalls,
  briefFor,
  type ConnectionAnswer,
  connectionBrief,
  type PermissionRule,
} from "@authz/agent-tools";
import { isScope } from "@authz/dpop/jwt";
import { isUndecided, missingPermissions } from "../../connectors/connect/requirements.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { coveredPlace, placesCovering } from "../../protocol/request-places.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import { connectorRequestMembers } from "../access-requests/documents.js";
import { explainOwn } from "../explain.js";
import { findConnector, findResourceAt, readAddress } from "../find.js";
import { serviceRefusals } from "../service-calls/refusals.js";
import { AgentRefusal, howToConnect, requireAddress, requireFewScopes } from "./describe-refusal.js";

export interface ExplainToolOptions {
  readonly store: Pick<
    Store,
    "accessRequests" | "assignments" | "connectors" | "connections" | "resources" | "settings"
  >;
  readonly issuer: string;
}

/** Explains what one person may do, in the words that people read with `authz why`. */
export function createExplainTool(caller: Caller, options: ExplainToolOptions): AgentCalls["explain"] {
  return async ({ url, connection, scopes = [] }) => {
    const address = requireAddress(readAddress(url));
    if (connection !== undefined) return await explainConnection(address, connection, { caller, ...options });
    return await explainService(address, scopes, { caller, ...options });
  };
}

type Explaining = ExplainToolOptions & { readonly caller: Caller };

async function explainService(
  url: URL,
  scopes: readonly string[],
  { store, caller }: Explaining,
): Promise<object> {
  requireFewScopes(scopes);
  const resource = await findResourceAt(url, store);
  if (resource === undefined) {
    const message =
      "No service that you can use is registered at this address. Skills say which addresses there are.";
    throw new AgentRefusal("not_found", message);
  }
  const malformed = scopes.filter((scope) => !isScope(scope));
  if (malformed.length > 0) throw serviceRefusals.unknownScopes(resource, malformed);
  const { granted, missing, administrators, ...explanation } = await explainOwn(
    { caller, resource, scopes, path: url.pathname },
    store,
  );
  const { installationName } = await store.settings.get();
  const asked = scopes.length > 0;
  return briefFor({
    plan: { resource, scopes: asked ? scopes : resource.supportedScopes },
    explanation: {
      ...explanation,
      granted: granted.map(({ scope, by }) => ({ scope, by: by as readonly PermissionRule[] })),
      missing: missing.map((each) => ({
        ...each,
        wouldBeGrantedBy: each.wouldBeGrantedBy as readonly PermissionRule[],
      })),
      administrators: {
        people: administrators.people.map(({ email, name }) => ({ email, name: name ?? undefined })),
        groups: administrators.groups,
      },
    },
    me: meOf(caller.user, installationName),
    asked,
  });
}

async function explainConnection(
  url: URL,
  key: string,
  { store, issuer, caller }: Explaining,
): Promise<object> {
  const { user, permissions } = caller;
  const connector = await findConnector(key, store);
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
  if (missing.length > 0)
    return brief({ missingScopes: missing, ...(await connectorRequestMembers(connector, caller, store)) });
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

function meOf({ id, email, name }: User, installationName: string): ConnectionAnswer["me"] {
  return {
    subject: id,
    email: email ?? undefined,
    name: name ?? undefined,
    installation: { name: installationName },
  };
}

function isCovered(url: URL, { requestPrefixes }: Connector): boolean {
  const places = placesCovering(url);
  return requestPrefixes.some((prefix) => places.includes(coveredPlace(prefix) ?? ""));
}
