import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { Config } from "../../config/config.js";
import type { RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import type { OpenStore } from "../../store/store.js";
import type { Credentials } from "../refresh/credentials.js";
import { createOutboundStreamClient } from "../../platform/outbound/outbound-stream.js";
import { createCallRecord } from "./call-record.js";
import { createDecoderPlaces } from "./decode-answer.js";
import { type ForwardRequest, forwardRequest } from "./forward-request.js";
import type { HandedAnswer } from "./hand-answer.js";
import { createSlots } from "./slots.js";

/** Sends requests through connectors, and keeps what that needs from one to the next. */
export interface ConnectionUse {
  /** @throws {UseRefusal} */
  readonly forward: (request: ForwardRequest) => Promise<HandedAnswer>;
  /** Ends the connections to third parties, once the last audit event is stored. */
  readonly close: () => Promise<void>;
}

export interface ConnectionUseContext {
  readonly config: Config;
  readonly store: OpenStore;
  readonly rateLimiter: Pick<RateLimiter, "take" | "takeOwn">;
  readonly connectorCredentials: Credentials;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createConnectionUse(context: ConnectionUseContext): ConnectionUse {
  const { config, store, rateLimiter, connectorCredentials, clock, log } = context;
  const { allowInsecureLoopback, outboundNetworks } = config;
  const outbound = createOutboundStreamClient({ allowInsecureLoopback, allowedNetworks: outboundNetworks });
  const calls = createCallRecord({ store, clock, log });
  const dependencies = {
    store,
    outbound,
    limiter: rateLimiter,
    takeSlot: createSlots(),
    takeDecoder: createDecoderPlaces(),
    calls,
    credentials: connectorCredentials,
    allowInsecureLoopback,
    clock,
    log,
  };
  return {
    forward: (request) => forwardRequest(request, dependencies),
    async close() {
      await outbound.close();
      await calls.settle();
    },
  };
}
