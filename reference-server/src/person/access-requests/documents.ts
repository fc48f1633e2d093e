import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { type Decision, decide } from "../../permissions/decide.js";
import type { AccessRequest, AccessTarget } from "../../store/access-requests.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { openScopes } from "./ask.js";

/** A request as the person who asked reads it. Who decided is not in it. */
export function accessRequestDocument(request: AccessRequest) {
  const { id, kind, target, scopes, reason, state, grantedScopes, expiresAt, note, createdAt, decidedAt } =
    request;
  return {
    id,
    ...targetMember({ kind, target }),
    state,
    scopes,
    reason,
    createdAt: createdAt.toISOString(),
    ...(decidedAt !== null && { decidedAt: decidedAt.toISOString() }),
    ...(state === "approved" && { grantedScopes }),
    ...(expiresAt !== null && { until: expiresAt.toISOString() }),
    ...(note !== null && { note }),
  };
}

function targetMember({ kind, target }: AccessTarget) {
  if (kind === "installation") return { installation: true };
  return kind === "service" ? { resource: target } : { connector: target };
}

interface RequestMembers {
  readonly requestable?: boolean;
  readonly request?: ReturnType<typeof accessRequestDocument>;
}

/**
 * What an explanation says about requesting access: whether something can be requested (`requestable`), and the request that is pending
 * or was decided last (`request`). Nothing when everything is allowed.
 */
export async function requestMembers(
  { user, client }: Pick<Caller, "user" | "client">,
  { target, decision }: { readonly target: AccessTarget; readonly decision: Decision },
  store: Pick<Store, "accessRequests">,
): Promise<RequestMembers> {
  if (decision.allowed) return {};
  const last = await store.accessRequests.findLast(user.id, target);
  // An app cannot use what is beyond its ceiling, even if the person gets it.
  const requestable = openScopes(decision.missing, last).some(
    (scope) => !client.limited || client.ceiling.includes(scope),
  );
  return { requestable, ...(last !== undefined && { request: accessRequestDocument(last) }) };
}

/** The same about using a connector. */
export async function connectorRequestMembers(
  { key, enabled, requiredScopes }: Pick<Connector, "key" | "enabled" | "requiredScopes">,
  caller: Pick<Caller, "user" | "client" | "permissions">,
  store: Pick<Store, "accessRequests">,
): Promise<RequestMembers> {
  if (!enabled) return {};
  const decision = decide({ permissions: caller.permissions, scopes: requiredScopes });
  return await requestMembers(caller, { target: { kind: "connector", target: key }, decision }, store);
}
