import { attemptSecrets } from "../../sign-in/browser.js";
import { createSecret } from "../../protocol/secrets.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { Provider } from "../provider/provider.js";

/**
 * Binds an attempt to this browser session, once, and returns the address at the third party. `undefined` when it is not this
 * person's, over, or was opened before.
 *
 * Nonce and code verifier are derived from the browser's own secret, so the database never holds them.
 */
export async function openAttempt(
  attempt: {
    readonly id: string;
    readonly session: BrowserSession;
    readonly browserSecret: string;
    readonly connector: Connector;
    readonly scopes: readonly string[];
  },
  { store, provider, now }: { readonly store: Store; readonly provider: Provider; readonly now: Date },
): Promise<URL | undefined> {
  const { id, session, browserSecret, connector, scopes } = attempt;
  const state = createSecret();
  const { stateHash, nonce, codeVerifier } = attemptSecrets(browserSecret, state);
  const { id: sessionId, userId } = session;
  const opened = await store.connectionAttempts.open({ id, userId, sessionId, stateHash, scopes, now });
  if (opened === undefined) return undefined;
  return await provider.authorizationUrl(connector, { state, nonce, codeVerifier, scopes });
}
