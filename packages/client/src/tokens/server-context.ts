import type { ClientCache } from "../stores/client-cache.js";
import type { Clock } from "../transport/time.js";
import type { Transport } from "../transport/transport.js";
import type { ServerHints } from "./server-hints.js";

/** What the client does behind a call, for logs and progress. No event carries a token. */
export type AuthzClientEvent =
  | { type: "session_renewed" }
  | { type: "service_token_obtained"; resource: string; scopes: readonly string[] }
  | { type: "request_retried"; url: string; reason: "nonce" | "clock" | "expired_token" };

export type AuthzClientEventListener = (event: AuthzClientEvent) => void;

/** What all calls to one authorization server share. */
export interface ServerContext {
  issuer: string;
  clientId: string;
  cache: ClientCache;
  transport: Transport;
  hints: ServerHints;
  clock: Clock;
  onEvent: AuthzClientEventListener;
}
