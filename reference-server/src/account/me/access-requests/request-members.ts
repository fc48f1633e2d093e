import { isRequestable } from "../../../access-requests/ask.js";
import type { Caller } from "../../../oauth/tokens/identify-caller.js";
import { type Decision, decide } from "../../../permissions/decide.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import type { Connector } from "../../../store/connectors.js";
import type { AccessTarget } from "../../../store/access-requests.js";
import type { Store } from "../../../store/store.js";
import { accessRequestDocument } from "./documents.js";

interface RequestMembers {
  readonly requestable?: boolean;
  readonly request?: ReturnType<typeof accessRequestDocument>;
}

/** A denial, and whom it concerns through which app. */
interface Denial {
  readonly caller: Pick<Caller, "user" | "client">;
  readonly target: AccessTarget;
  readonly decision: Pick<Decision, "allowed" | "missing">;
}

/**
 * What an explanation says about asking: whether there is something to ask for (`requestable`), and the request that is pending or was
 * decided last (`request`). Nothing when everything is allowed.
 */
export async function requestMembers(
  { caller: { user, client }, target, decision }: Denial,
  store: Pick<Store, "accessRequests">,
): Promise<RequestMembers> {
  if (decision.allowed) return {};
  const last = await store.accessRequests.findLast(user.id, target);
  const asked = last?.state === "pending" ? last.scopes : [];
  const requestable = decision.missing.some(
    (missing) =>
      isRequestable(missing) &&
      !asked.includes(missing.scope) &&
      // What the app may never be given is no use to it, whoever gives it to the person.
      (!client.limited || client.ceiling.includes(missing.scope)),
  );
  return { requestable, ...(last !== undefined && { request: accessRequestDocument(last) }) };
}

/** The same about using a connector. */
export async function connectorRequestMembers(
  connector: Pick<Connector, "key" | "enabled" | "requiredScopes">,
  { caller, permissions }: { readonly caller: Denial["caller"]; readonly permissions: Permissions },
  store: Pick<Store, "accessRequests">,
): Promise<RequestMembers> {
  if (!connector.enabled) return {};
  const decision = decide({ permissions, scopes: connector.requiredScopes });
  return await requestMembers(
    { caller, target: { kind: "connector", target: connector.key }, decision },
    store,
  );
}
