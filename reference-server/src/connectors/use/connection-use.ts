import type { Forwarder } from "../../forwarding/forwarder.js";
import type { HandedAnswer } from "../../forwarding/hand-answer.js";
import type { Store } from "../../store/store.js";
import type { Credentials } from "../refresh/credentials.js";
import type { ForwardRequest } from "./forward-options.js";
import { forwardRequest } from "./forward-request.js";

/** Sends requests through connectors. @throws {UseRefusal} */
export type ForwardThroughConnection = (request: ForwardRequest) => Promise<HandedAnswer>;

export interface ConnectionUseContext {
  readonly store: Pick<Store, "connectors" | "connections" | "forwardedCalls">;
  readonly connectorCredentials: Credentials;
}

/** One for each process. */
export function createConnectionUse(
  { store, connectorCredentials: credentials }: ConnectionUseContext,
  forwarder: Forwarder,
): ForwardThroughConnection {
  const dependencies = { forwarder, store, credentials, seen: new Map() };
  return (request) => forwardRequest(request, dependencies);
}
