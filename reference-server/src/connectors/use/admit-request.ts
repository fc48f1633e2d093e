import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { isUndecided, missingPermissions } from "../connect/requirements.js";
import type { HeaderLine } from "./header-lines.js";
import { refusals } from "./refusals.js";
import { methodOverrideOf } from "./request-headers.js";
import { checkTarget, type Target, TargetError } from "./target.js";

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
  if (!connector.enabled) throw refusals.disabled(connector);
  const own = { userId: request.caller.user.id, connectorId: connector.id };
  const connection = await store.connections.findOwn(own);
  if (connection?.state !== "connected") throw refusals.notUsable(connection, connector);
  checkMethod(request, connector);
  const target = findTarget(request, connector, allowInsecureLoopback);
  const { requestBytes } = connector.limits;
  if (request.contentLength !== undefined && request.contentLength > requestBytes) {
    throw refusals.requestTooLarge(connector, "no");
  }
  return { connection, target };
}

function checkPermissions({ permissions }: Caller, connector: Connector): void {
  if (isUndecided(connector, permissions)) throw directoryAway();
  const missing = missingPermissions(connector, permissions);
  if (missing.length === 0) return;
  throw refusals.missingScope(connector, missing.join(" "));
}

function checkMethod({ method, headers }: WantedRequest, connector: Connector): void {
  if (!connector.methods.includes(method)) throw refusals.method(connector);
  if (methodOverrideOf(headers) !== undefined) throw refusals.methodOverride(connector);
}

function findTarget(
  { target }: WantedRequest,
  { requestPrefixes }: Connector,
  allowInsecureLoopback: boolean,
): Target {
  try {
    return checkTarget(target, { requestPrefixes, allowInsecureLoopback });
  } catch (error) {
    throw error instanceof TargetError ? refusals.target(error) : error;
  }
}
