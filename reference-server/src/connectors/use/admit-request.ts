import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { isUndecided, missingPermissions } from "../connect/requirements.js";
import type { HeaderLine } from "./header-lines.js";
import { methodOverrideOf } from "./request-headers.js";
import { checkTarget, type Target, TargetError } from "./target.js";
import { UseRefusal } from "./use-refusal.js";

/** What a caller wants to have sent, as far as it decides whether that may be. */
export interface WantedRequest {
  readonly caller: Caller;
  readonly method: string;
  /** Every `Authz-Target` header. */
  readonly target: readonly string[];
  readonly headers: readonly HeaderLine[];
  /** Of the body, when the caller said it. */
  readonly contentLength: number | undefined;
}

/** Everything of a request is allowed. */
export interface AdmittedRequest {
  readonly connection: Connection;
  readonly target: Target;
}

export interface AdmissionOptions {
  readonly store: Pick<Store, "connections">;
  readonly allowInsecureLoopback: boolean;
}

/**
 * Decides whether a request may be sent through a connector, in an order in which nobody learns more than they may.
 *
 * @throws {UseRefusal}
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the person may.
 */
export async function admitRequest(
  request: WantedRequest,
  connector: Connector,
  { store, allowInsecureLoopback }: AdmissionOptions,
): Promise<AdmittedRequest> {
  checkPermissions(request.caller, connector);
  if (!connector.enabled) throw connectorDisabled(connector);
  const own = { userId: request.caller.user.id, connectorId: connector.id };
  const connection = await store.connections.findOwn(own);
  if (connection?.state !== "connected") throw notUsable(connection, connector);
  checkMethod(request, connector);
  const target = findTarget(request, connector, allowInsecureLoopback);
  const { requestBytes } = connector.limits;
  if (request.contentLength !== undefined && request.contentLength > requestBytes) {
    throw requestTooLarge(connector, "no");
  }
  return { connection, target };
}

function checkPermissions({ permissions }: Caller, connector: Connector): void {
  if (isUndecided(connector, permissions)) throw directoryAway();
  const missing = missingPermissions(connector, permissions);
  if (missing.length === 0) return;
  const scope = missing.join(" ");
  const message = `Using ${connector.name} needs ${scope}, which you do not have. Ask an administrator for it.`;
  throw new UseRefusal({ code: "insufficient_scope", message, scope });
}

function connectorDisabled({ name }: Connector): UseRefusal {
  const message = `An administrator has switched ${name} off. Ask whether it comes back.`;
  return new UseRefusal({ code: "connector_disabled", message });
}

/** Why a connection cannot be used at this moment. */
export function notUsable(connection: Connection | undefined, { name }: Connector): UseRefusal {
  const code = connection?.state ?? "not_connected";
  // Connected again meanwhile, or its connector is switched off: the next attempt will tell.
  return connectionRefusal(code === "connected" ? "not_connected" : code, name);
}

export function connectionRefusal(
  code: "not_connected" | "reconnect_required" | "disconnecting",
  name: string,
): UseRefusal {
  const messages = {
    not_connected: `You have no account connected at ${name}. Connect it first.`,
    reconnect_required: `The stored access to ${name} cannot be used any more. Connect your account again.`,
    disconnecting: `Your account at ${name} is being disconnected. Connect it again when that is done.`,
  };
  return new UseRefusal({ code, message: messages[code] });
}

function checkMethod({ method, headers }: WantedRequest, { name, methods }: Connector): void {
  if (!methods.includes(method)) {
    const message = `${name} may only be used with ${methods.join(", ")} here. Ask an administrator to allow more.`;
    throw new UseRefusal({ code: "method_not_allowed", message, allow: methods });
  }
  if (methodOverrideOf(headers) === undefined) return;
  const message =
    "A header asks the third party for another method. Leave it out and use that method itself.";
  throw new UseRefusal({ code: "method_not_allowed", reason: "method_override", message, allow: methods });
}

function findTarget(
  { target }: WantedRequest,
  { requestPrefixes }: Connector,
  allowInsecureLoopback: boolean,
): Target {
  try {
    return checkTarget(target, { requestPrefixes, allowInsecureLoopback });
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { reason, message, host } = error;
    const code = reason === "not_covered" ? "target_not_allowed" : "invalid_target";
    throw new UseRefusal({ code, reason: `target_${reason}`, message, ...(host !== undefined && { host }) });
  }
}

/** The body is longer than the connector allows. */
export function requestTooLarge({ name, limits }: Connector, sent: "no" | "maybe"): UseRefusal {
  const most = `${String(limits.requestBytes)} bytes`;
  const message = `A request to ${name} may have ${most} here. Send less, or ask an administrator to allow more.`;
  return new UseRefusal({ code: "request_too_large", message, sent });
}
