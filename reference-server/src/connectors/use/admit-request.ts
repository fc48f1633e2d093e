import type { Connector } from "../../store/connectors.js";
import { checkLength, checkMethod, type ForwardedParts } from "../../forwarding/exchange.js";
import { orRefuseTarget } from "../../forwarding/refusals.js";
import { checkTarget, type Target } from "../../forwarding/target.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { isUndecided, missingPermissions } from "../connect/requirements.js";
import { connectorRefusals } from "./refusals.js";

/** What a caller wants to have sent through a connector. */
export interface WantedRequest extends ForwardedParts {
  readonly caller: Caller;
  /** Every `Authz-Target` header. */
  readonly target: readonly string[];
}

/**
 * Whether a person may use a connector at all: decided before anything about their connection is said.
 *
 * @throws {UseRefusal}
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the person may.
 */
export function checkUser({ permissions }: Caller, connector: Connector): void {
  if (isUndecided(connector, permissions)) throw directoryAway();
  const missing = missingPermissions(connector, permissions);
  if (missing.length > 0) throw connectorRefusals.missingScope(connector, missing.join(" "));
  if (!connector.enabled) throw connectorRefusals.disabled(connector);
}

/** Whether a connector takes such a request, and where it goes. @throws {UseRefusal} */
export function checkRequest(
  request: WantedRequest,
  connector: Connector,
  allowInsecureLoopback: boolean,
): Target {
  checkMethod(request, connector, connector.methods);
  const { requestPrefixes } = connector;
  const target = orRefuseTarget(() =>
    checkTarget(request.target, { requestPrefixes, allowInsecureLoopback }),
  );
  checkLength(request, connector);
  return target;
}
