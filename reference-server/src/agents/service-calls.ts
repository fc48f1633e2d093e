import type { Config } from "../config/config.js";
import type { CallAhead } from "../forwarding/call-ahead.js";
import type { Forwarder } from "../forwarding/forwarder.js";
import type { HandedAnswer } from "../forwarding/hand-answer.js";
import type { Keys } from "../oauth/keys/keys.js";
import type { BegunServiceCall } from "../store/forwarded-calls.js";
import {
  callService,
  callServiceAhead,
  type ServiceRequest,
  type ServiceRequestAhead,
} from "./call-service.js";
import { createServiceCredentials } from "./service-credentials.js";
import { createServiceTokens } from "./service-tokens.js";

/** Calls services for agents. @throws {UseRefusal} */
export type CallService = (request: ServiceRequest) => Promise<HandedAnswer>;

/** Prepares to note a call while its caller is identified; `undefined` when nobody may make it. */
export type CallServiceAhead = (request: ServiceRequestAhead) => CallAhead<BegunServiceCall> | undefined;

export interface ServiceCalls {
  readonly callService: CallService;
  readonly callServiceAhead: CallServiceAhead;
}

export interface ServiceCallsContext {
  readonly config: Pick<Config, "issuer">;
  readonly keys: Pick<Keys, "sign" | "keySet">;
}

/** One for each process: it draws the key that the tokens are bound to. */
export async function createServiceCalls(
  { config: { issuer }, keys }: ServiceCallsContext,
  forwarder: Forwarder,
): Promise<ServiceCalls> {
  const tokens = await createServiceTokens({ issuer, keys, clock: forwarder.clock });
  const { origin: issuerOrigin } = new URL(issuer);
  const dependencies = { forwarder, issuerOrigin, credentials: createServiceCredentials(tokens) };
  return {
    callService: (request) => callService(request, dependencies),
    callServiceAhead: (request) => callServiceAhead(request, dependencies),
  };
}
