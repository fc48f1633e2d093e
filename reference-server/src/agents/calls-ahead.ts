import type { ForwardAhead } from "../connectors/use/connection-use.js";
import type { CallAhead } from "../forwarding/call-ahead.js";
import type { ShownCaller } from "../oauth/tokens/identify-caller.js";
import type { BegunConnectionCall, BegunServiceCall } from "../store/forwarded-calls.js";
import type { PlainCall } from "./plain-call.js";
import type { CallServiceAhead } from "./service-calls.js";

/** What a message would have sent, noted while its caller is identified. */
export interface CallsAhead {
  readonly service?: CallAhead<BegunServiceCall> | undefined;
  readonly connection?: CallAhead<BegunConnectionCall> | undefined;
}

export interface CallsAheadOptions {
  readonly callServiceAhead: CallServiceAhead;
  readonly forwardAhead: ForwardAhead;
}

/**
 * Sees what a plain call would have sent. Nothing is decided by it: the tool reads its arguments itself, and goes on with the call only if
 * it is the same one.
 */
export function lookAhead(
  { name, arguments: args = {} }: PlainCall,
  { claims, requestId }: Pick<ShownCaller, "claims"> & { readonly requestId: string },
  { callServiceAhead, forwardAhead }: CallsAheadOptions,
): CallsAhead {
  const { url, method: given = "GET", connection } = args;
  if (name !== "request" || typeof url !== "string" || typeof given !== "string") return {};
  const common = { method: given.toUpperCase(), requestId, claims };
  if (connection === undefined) return { service: callServiceAhead({ ...common, url }) };
  if (typeof connection !== "string") return {};
  return { connection: forwardAhead({ ...common, connectorKey: connection, target: [url] }) };
}
