import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import {
  createOutboundStreamClient,
  type OutboundStreamClient,
} from "../platform/outbound/outbound-stream.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import type { OpenStore, Store } from "../store/store.js";
import { type AskForApproval, neverApproved } from "./held-call.js";
import { type CallRecord, createCallRecord } from "./call-record.js";
import { createDecoderLimit, type TakeDecoder } from "./decode-answer.js";
import { createSlots, type TakeSlot } from "./slots.js";

/** What all forwarded requests of a process share. */
export interface Forwarder {
  readonly store: Pick<Store, "forwardedCalls" | "auditEvents">;
  readonly outbound: Pick<OutboundStreamClient, "send">;
  readonly limiter: Pick<RateLimiter, "takeOwn">;
  readonly takeSlot: TakeSlot;
  readonly takeDecoder: TakeDecoder;
  readonly calls: CallRecord;
  readonly askForApproval: AskForApproval;
  readonly allowInsecureLoopback: boolean;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** A forwarder with its connections. */
export interface OpenForwarder extends Forwarder {
  /** Ends the connections to other sides, once the last audit event is stored. */
  readonly close: () => Promise<void>;
}

export interface ForwarderContext {
  readonly config: Pick<Config, "allowInsecureLoopback" | "outboundNetworks">;
  readonly store: OpenStore;
  readonly rateLimiter: Pick<RateLimiter, "takeOwn">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Absent: every call that needs an approval is refused. */
  readonly askForApproval?: AskForApproval;
}

/** One for each process. */
export function createForwarder(context: ForwarderContext): OpenForwarder {
  const { config, store, rateLimiter, clock, log, askForApproval = neverApproved } = context;
  const { allowInsecureLoopback, outboundNetworks } = config;
  const outbound = createOutboundStreamClient({ allowInsecureLoopback, allowedNetworks: outboundNetworks });
  const calls = createCallRecord({ store, clock, log });
  return {
    store,
    outbound,
    limiter: rateLimiter,
    takeSlot: createSlots(),
    takeDecoder: createDecoderLimit(),
    calls,
    askForApproval,
    allowInsecureLoopback,
    clock,
    log,
    async close() {
      await outbound.close();
      // The calls that it broke off end in this turn of the event loop.
      await nextTurn();
      await calls.settle();
    },
  };
}
