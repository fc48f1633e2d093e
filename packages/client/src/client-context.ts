import type { ClientCache } from "./cache/client-cache.js";
import type { Clock } from "./clock.js";
import type { AuthzClientEventListener } from "./events.js";
import type { SessionStore } from "./stores/session-store.js";
import type { NonceBook } from "./tokens/nonce-book.js";
import type { Transport } from "./transport/transport.js";

/** What every part of one client shares. */
export interface ClientContext {
  issuer: string;
  clientId: string;
  store: SessionStore;
  cache: ClientCache;
  transport: Transport;
  nonces: NonceBook;
  clock: Clock;
  onEvent: AuthzClientEventListener;
}
