import type { CallAhead } from "../../forwarding/call-ahead.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import type { BegunConnectionCall } from "../../store/forwarded-calls.js";
import type { Store } from "../../store/store.js";
import type { Credentials } from "../refresh/credentials.js";
import { useAhead } from "./begin-call.js";
import type { ForwardRequest, ForwardRequestAhead } from "./forward-options.js";
import { forwardRequest } from "./forward-request.js";

/** Sends requests through connectors. @throws {UseRefusal} */
export type ForwardThroughConnection = (request: ForwardRequest) => Promise<HandedAnswer>;

/** Prepares to note a call while its caller is identified; `undefined` when nobody may make it. */
export type ForwardAhead = (request: ForwardRequestAhead) => CallAhead<BegunConnectionCall> | undefined;

export interface ConnectionUse {
  readonly forward: ForwardThroughConnection;
  readonly forwardAhead: ForwardAhead;
}

export interface ConnectionUseContext {
  readonly store: Pick<Store, "connectors" | "connections" | "forwardedCalls">;
  readonly connectorCredentials: Credentials;
}

/** One for each process. */
export function createConnectionUse(
  { store, connectorCredentials: credentials }: ConnectionUseContext,
  forwarder: Forwarder,
): ConnectionUse {
  const dependencies = { forwarder, store, credentials, seen: new Map() };
  return {
    forward: (request) => forwardRequest(request, dependencies),
    forwardAhead: (request) => useAhead(request, dependencies),
  };
}
