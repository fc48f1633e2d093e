import type { ClientCache } from "../stores/client-cache.js";
import type { Clock } from "../transport/time.js";
import type { Transport } from "../transport/transport.js";

/** What the client does behind a call, for logs and progress. No event carries a token. */
export type AuthzClientEvent =
  | { type: "session_renewed" }
  | { type: "service_token_obtained"; resource: string; scopes: readonly string[] }
  | { type: "request_retried"; url: string; reason: "nonce" | "expired_token" };

export type AuthzClientEventListener = (event: AuthzClientEvent) => void;

/** What all calls to one authorization server share, whoever makes them. */
export interface ServerContext {
  issuer: string;
  clientId: string;
  cache: ClientCache;
  transport: Transport;
  nonces: NonceCache;
  clock: Clock;
  onEvent: AuthzClientEventListener;
}

/** The newest DPoP nonce of each origin (RFC 9449 §8). */
export class NonceCache {
  readonly #nonces = new Map<string, string>();

  nonceFor(url: string): string | undefined {
    return this.#nonces.get(new URL(url).origin);
  }

  /** Remembers the nonce an answer brought. Answers whether there was one. */
  learn(url: string, headers: Readonly<Record<string, string>>): boolean {
    const nonce = headers["dpop-nonce"];
    if (nonce === undefined || nonce === "") return false;
    this.#nonces.set(new URL(url).origin, nonce);
    return true;
  }
}
