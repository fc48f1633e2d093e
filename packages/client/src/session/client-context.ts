import type { SessionStore } from "../stores/session-store.js";
import type { ServerContext } from "../tokens/server-context.js";

/** What every part of one person's client shares. */
export interface ClientContext extends ServerContext {
  store: SessionStore;
}
