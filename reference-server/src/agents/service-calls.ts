import type { Config } from "../config/config.js";
import type { Forwarder } from "../forwarding/forwarder.js";
import type { HandedAnswer } from "../forwarding/hand-answer.js";
import type { Keys } from "../oauth/keys/keys.js";
import { callService, type ServiceRequest } from "./call-service.js";
import { createServiceCredentials } from "./service-credentials.js";
import { createServiceTokens } from "./service-tokens.js";

/** Calls services for agents. @throws {UseRefusal} */
export type CallService = (request: ServiceRequest) => Promise<HandedAnswer>;

export interface ServiceCallsContext {
  readonly config: Pick<Config, "issuer">;
  readonly keys: Pick<Keys, "sign" | "keySet">;
}

/** One for each process: it draws the key that the tokens are bound to. */
export async function createServiceCalls(
  { config: { issuer }, keys }: ServiceCallsContext,
  forwarder: Forwarder,
): Promise<CallService> {
  const tokens = await createServiceTokens({ issuer, keys, clock: forwarder.clock });
  const dependencies = { forwarder, issuer, credentials: createServiceCredentials(tokens) };
  return (request) => callService(request, dependencies);
}
