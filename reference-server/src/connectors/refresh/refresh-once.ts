import { setTimeout as delay } from "node:timers/promises";
import { recordAudit } from "../../audit/record.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { connectionRow } from "../../platform/vault/rows.js";
import type { PreparedSeal } from "../../platform/vault/vault.js";
import type { Grant } from "../provider/provider.js";
import { ProviderError } from "../provider/provider-error.js";
import { mayGoTo, missingScopes, writeTokens } from "./stored-tokens.js";
import {
  CredentialsError,
  type CredentialsOptions,
  type LoadedAccessToken,
  loadStored,
  requireReconnect,
  requireUsable,
} from "./load-tokens.js";

/** A refresh that this process alone may make. */
export interface LeasedRefresh {
  readonly connection: Connection;
  readonly connector: Connector;
  readonly refreshToken: string;
  /** Where the new tokens may be sent as well. */
  readonly origins: readonly string[];
  readonly lease: string;
}

/** Pauses before the next refresh, in seconds. */
const pauses = { noAnswer: 5, clientRefused: 60 } as const;
/** Storing new tokens is retried: the third party may have revoked the old ones. */
const storeAttempts = 5;
const storePauseMilliseconds = 500;

/** Asks the third party for new tokens, once, and stores the result. */
export async function refreshOnce(
  refresh: LeasedRefresh,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const { connection, connector, refreshToken } = refresh;
  const envelope = await prepareEnvelope(refresh, options);
  let grant: Grant;
  try {
    grant = await options.provider.refresh(connector, { refreshToken, scopes: connection.grantedScopes });
  } catch (error) {
    envelope.discard();
    if (error instanceof ProviderError) return await settleFailure(error, refresh, options);
    // Without the client secret nothing was sent; after any other fault it may have been.
    const uncertain = !(error instanceof VaultError);
    await abandon(refresh, { uncertain, pauseSeconds: 0 }, options);
    throw error;
  }
  return await storeGrant({ grant, envelope }, refresh, options);
}

/** New tokens exist once, so that they can be sealed is checked before they are requested. */
async function prepareEnvelope(refresh: LeasedRefresh, options: CredentialsOptions): Promise<PreparedSeal> {
  try {
    return await options.vault.prepare(connectionRow(refresh.connection));
  } catch (error) {
    await abandon(refresh, { uncertain: false, pauseSeconds: 0 }, options);
    throw error;
  }
}

/** Decides what a failed refresh means for the connection. */
async function settleFailure(
  error: ProviderError,
  refresh: LeasedRefresh,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const { connection, connector } = refresh;
  const { reason, detail } = error;
  if (reason === "grant_refused") return await settleRefusal(refresh, options);
  const uncertain = reason === "no_answer" || reason === "invalid_answer";
  const pauseSeconds =
    error.retryAfterSeconds ?? (reason === "client_refused" ? pauses.clientRefused : pauses.noAnswer);
  await abandon(refresh, { uncertain, pauseSeconds }, options);
  const fields = { connector: connector.key, connectionId: connection.id, reason, detail };
  if (reason === "client_refused") {
    options.log.error(
      { code: "CONNECTOR_CLIENT_REFUSED", ...fields },
      "A third party does not accept the client ID and secret of its connector. Enter them again.",
    );
  } else {
    options.log.warn({ code: "CONNECTION_NOT_REFRESHED", ...fields }, "A connection could not be refreshed.");
  }
  throw new CredentialsError("refresh_unavailable", { retryAfterSeconds: pauseSeconds });
}

/** The refresh token is invalid: unless another process has refreshed meanwhile, the person has to connect again. */
async function settleRefusal(
  refresh: LeasedRefresh,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const { connection, connector } = refresh;
  const found = await options.store.connections.find(connection.id);
  if (found === undefined) throw new CredentialsError("not_connected");
  // Disconnecting waits for this lease.
  if (found.state !== "connected") await abandon(refresh, { uncertain: false, pauseSeconds: 0 }, options);
  requireUsable(found);
  if (found.credentialVersion !== connection.credentialVersion) {
    return await loadStored(found, connector, options);
  }
  // A process may have received new tokens, and lost them.
  const reason = found.refresh.uncertain || wasUncertain(connection) ? "rotation_lost" : "refused";
  throw await requireReconnect({ connection, connector, reason }, options);
}

/** An expired lease means that a process was killed, perhaps after it had asked. */
function wasUncertain({ refresh }: Connection): boolean {
  return refresh.uncertain || refresh.lease !== null;
}

async function abandon(
  { connection, lease }: LeasedRefresh,
  { uncertain, pauseSeconds }: { readonly uncertain: boolean; readonly pauseSeconds: number },
  { store, clock }: CredentialsOptions,
): Promise<void> {
  await store.connections.abandonRefresh({
    id: connection.id,
    lease,
    uncertain: uncertain || wasUncertain(connection),
    notBefore: pauseSeconds === 0 ? null : new Date(clock() + pauseSeconds * 1000),
  });
}

async function storeGrant(
  { grant, envelope }: { readonly grant: Grant; readonly envelope: PreparedSeal },
  refresh: LeasedRefresh,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const { connection, connector, refreshToken, origins } = refresh;
  const { tokens, scopes } = grant;
  const isShrunk = missingScopes(connector, scopes).length > 0;
  const kept = { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken ?? refreshToken };
  const credentials = envelope.seal(writeTokens({ ...kept, origins }, connector));
  const stored = await persist(() => storeTokens({ grant, credentials, isShrunk }, refresh, options));
  if (!stored) return await afterOvertaking(kept, refresh, options);
  if (isShrunk) throw new CredentialsError("reconnect_required", { reconnectReason: "grant_shrunk" });
  // Disconnecting, if begun meanwhile, comes first.
  const now = await options.store.connections.find(connection.id);
  if (now === undefined) throw new CredentialsError("not_connected");
  requireUsable(now);
  const credentialVersion = connection.credentialVersion + 1;
  return { accessToken: tokens.accessToken, origins, credentialVersion, tokenType: "Bearer" };
}

async function storeTokens(
  renewed: {
    readonly grant: Grant;
    readonly credentials: Buffer;
    readonly isShrunk: boolean;
  },
  { connection, connector }: LeasedRefresh,
  { store, clock }: CredentialsOptions,
): Promise<boolean> {
  const { grant, credentials, isShrunk } = renewed;
  const { expiresInSeconds } = grant.tokens;
  const { id, credentialVersion, userId } = connection;
  const now = new Date(clock());
  const event = { actor: { type: "system" }, at: now, subject: userId } as const;
  const named = { connector: connector.key, connectionId: id };
  return await store.transaction(async (transaction) => {
    const stored = await transaction.connections.finishRefresh({
      id,
      credentialVersion,
      credentials,
      grantedScopes: grant.scopes,
      accessExpiresAt:
        expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1000),
      refreshable: true,
      now,
      ...(isShrunk
        ? { state: "reconnect_required", reason: "grant_shrunk" }
        : { state: "connected", reason: null }),
    });
    if (!stored) return false;
    const data = { ...named, scopes: grant.scopes };
    await recordAudit(transaction, { ...event, type: "connection.refreshed", outcome: "success", data });
    if (isShrunk) {
      await recordAudit(transaction, {
        ...event,
        type: "connection.reconnect_required",
        outcome: "failed",
        data: { ...named, reason: "grant_shrunk" },
      });
    }
    return true;
  });
}

/** Stores new tokens, with retries while the database is away. */
async function persist(work: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || attempt === storeAttempts) throw error;
      await delay(storePauseMilliseconds);
    }
  }
}

/** Newer tokens are stored already, or the connection is gone; then these are revoked here. */
async function afterOvertaking(
  tokens: { readonly accessToken: string; readonly refreshToken: string },
  { connection, connector, origins }: LeasedRefresh,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  const found = await options.store.connections.find(connection.id);
  if (found === undefined) {
    const { revocationEndpoint } = connector;
    if (revocationEndpoint !== null && mayGoTo({ origins }, revocationEndpoint))
      await options.provider.revoke(connector, tokens);
    throw new CredentialsError("not_connected");
  }
  requireUsable(found);
  return await loadStored(found, connector, options);
}
