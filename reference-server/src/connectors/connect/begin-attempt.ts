import { randomUUID } from "node:crypto";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { createSecret } from "../../protocol/secrets.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { attemptSecrets } from "../../sign-in/browser.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { connectorRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Provider } from "../provider/provider.js";
import { ConnectError } from "./connect-error.js";
import { chooseScopes, defaultScopes, isUndecided, missingPermissions } from "./requirements.js";

export interface NewAttempt {
  readonly connector: Connector;
  readonly permissions: Permissions;
  /** `null`: the person begins it on a page of this server. */
  readonly clientId: string | null;
  /** Offered ones; `undefined`: those that are asked for by default. */
  readonly scopes: readonly string[] | undefined;
}

export interface BegunAttempt {
  readonly id: string;
  readonly expiresAt: Date;
}

/**
 * Begins an attempt to connect an account. It ends in a browser in which the same person is signed in.
 *
 * @throws {ConnectError} `insufficient_scope`, `disconnecting`, `connector_key_unavailable`, `not_found`
 * @throws {OAuthError} `temporarily_unavailable`: only a directory that is away knows whether the person may.
 */
export async function beginAttempt(
  { connector, permissions, clientId, scopes }: NewAttempt,
  {
    store,
    vault,
    now,
  }: { readonly store: Store; readonly vault: Pick<Vault, "state" | "open">; readonly now: Date },
): Promise<BegunAttempt> {
  const { user } = permissions;
  if (isUndecided(connector, permissions)) throw directoryAway();
  if (missingPermissions(connector, permissions).length > 0) throw new ConnectError("insufficient_scope");
  const existing = await store.connections.findOwn({ userId: user.id, connectorId: connector.id });
  if (existing?.state === "disconnecting") throw new ConnectError("disconnecting");
  await requireKey(connector, vault);
  const id = randomUUID();
  const expiresAt = new Date(now.getTime() + lifetimes.connectionAttempt * 1000);
  const begun = await store.connectionAttempts.insert({
    id,
    connectorId: connector.id,
    userId: user.id,
    clientId,
    scopes:
      scopes === undefined
        ? defaultScopes(connector)
        : chooseScopes(connector, (scope) => scopes.includes(scope)),
    createdAt: now,
    expiresAt,
  });
  if (!begun) throw new ConnectError("not_found");
  return { id, expiresAt };
}

/** Checks that tokens can be requested and stored, before the person goes to the third party in vain. */
async function requireKey(
  { id, clientSecret }: Connector,
  vault: Pick<Vault, "state" | "open">,
): Promise<void> {
  const { state, problem } = await vault.state();
  if (state !== "ready") throw new ConnectError("connector_key_unavailable", problem);
  if (clientSecret === null) return;
  try {
    await vault.open(clientSecret, connectorRow(id));
  } catch (error) {
    if (error instanceof VaultError) throw new ConnectError("connector_key_unavailable", error.message);
    throw error;
  }
}

/**
 * Binds an attempt to this browser session, once, and returns the address at the third party. `undefined` if it is another person's,
 * expired, or was opened before.
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
