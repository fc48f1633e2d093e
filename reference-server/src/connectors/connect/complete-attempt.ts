import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { recordAudit } from "../../audit/record.js";
import type { RefusalRecord } from "../../audit/refusals.js";
import { attemptSecrets } from "../../sign-in/browser.js";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { ConnectionAttempt } from "../../store/connection-attempts.js";
import type { Connector } from "../../store/connectors.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { Store } from "../../store/store.js";
import { missingScopes, sealTokens } from "../refresh/stored-tokens.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { KnownAccount } from "../provider/account.js";
import type { Grant, Provider } from "../provider/provider.js";
import { ProviderError } from "../provider/provider-error.js";
import { ConnectError, logRefusal } from "./connect-error.js";
import { refuseAttempt, settleAttempt } from "./conclude-attempt.js";
import { isUndecided, missingPermissions } from "./requirements.js";

/** What the browser brought back from a third party. */
export interface AttemptReturn {
  /** By the address of the callback. */
  readonly connectorKey: string;
  /** The query as received. */
  readonly query: string;
  readonly state: string;
  readonly browserSecret: string;
  readonly session: BrowserSession;
  readonly requestId: string;
}

export interface CompleteDependencies {
  readonly store: Store;
  readonly refusals: RefusalRecord;
  readonly directories: GroupDirectories;
  readonly vault: Vault;
  readonly provider: Provider;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly now: Date;
}

/**
 * Takes the attempt, redeems the code, and stores the connection, or revokes what was granted. The outcome is stored in the attempt.
 *
 * @returns the attempt; `undefined` if no attempt of this browser session waits for this answer
 */
export async function completeAttempt(
  input: AttemptReturn,
  dependencies: CompleteDependencies,
): Promise<ConnectionAttempt | undefined> {
  const { store, refusals, now, log } = dependencies;
  const { state, browserSecret, session, requestId } = input;
  const { stateHash } = attemptSecrets(browserSecret, state);
  const { id: sessionId, userId } = session;
  const attempt = await store.connectionAttempts.take({ stateHash, sessionId, userId, now });
  const connector = attempt && (await store.connectors.find(attempt.connectorId));
  if (attempt === undefined || connector === undefined) return undefined;
  try {
    await connect({ input, attempt, connector }, dependencies);
  } catch (error) {
    const failure = toConnectError(error);
    const { code } = failure;
    logRefusal(failure, { connector, log });
    await refuseAttempt({ attempt, connector, code, requestId, refusals }, { store, now });
  }
  return attempt;
}

interface Work {
  readonly input: AttemptReturn;
  readonly attempt: ConnectionAttempt;
  readonly connector: Connector;
}

/** @throws {ConnectError} and what the third party's client and the vault throw */
async function connect(work: Work, dependencies: CompleteDependencies): Promise<void> {
  const { input, attempt, connector } = work;
  const { provider } = dependencies;
  if (connector.key !== input.connectorKey)
    throw new ConnectError("issuer_mismatch", "address of another connector");
  await requireAllowed(work, dependencies);
  // The person agreed to the hosts of the connector as it was then.
  if (attempt.openedAt === null || connector.updatedAt > attempt.openedAt)
    throw new ConnectError("conflict", "the connector was changed meanwhile");
  const { nonce, codeVerifier } = attemptSecrets(input.browserSecret, input.state);
  const { state, query } = input;
  const grant = await provider.redeem(
    connector,
    { state, nonce, codeVerifier, scopes: attempt.scopes },
    query,
  );
  // From here on there are tokens: they are stored, or revoked.
  try {
    const missing = missingScopes(connector, grant.scopes);
    if (missing.length > 0) throw new ConnectError("scope_missing", missing.join(" "));
    const account = await provider.findAccount(connector, grant);
    await storeOrSettle({ ...work, grant, account }, dependencies);
  } catch (error) {
    // They may be stored, and a connection with revoked tokens would be worse than unused tokens.
    if (error instanceof DatabaseUnavailableError) throw error;
    const { accessToken, refreshToken } = grant.tokens;
    const revocation = await provider.revoke(connector, { accessToken, refreshToken });
    dependencies.log.info({ connector: connector.key, revocation }, "What was granted was ended again.");
    throw error;
  }
}

/** Permission and connector are checked again: both may have changed while the person was at the third party. */
async function requireAllowed(
  { input, connector }: Work,
  { store, directories }: CompleteDependencies,
): Promise<void> {
  if (!connector.enabled) throw new ConnectError("not_found");
  const user = await store.users.find(input.session.userId);
  if (user === undefined || !user.enabled) throw new ConnectError("insufficient_scope");
  const permissions = await loadPermissions(user, { store, directories });
  if (isUndecided(connector, permissions)) throw new ConnectError("directory_unavailable");
  const missing = missingPermissions(connector, permissions);
  if (missing.length > 0) throw new ConnectError("insufficient_scope", missing.join(" "));
}

interface Storing extends Work {
  readonly grant: Grant;
  readonly account: KnownAccount;
}

/**
 * Stores the connection. If the database connection breaks meanwhile, finds out whether it was stored.
 *
 * @throws {ConnectError} It was not, and never will be.
 * @throws {DatabaseUnavailableError} It is unknown.
 */
async function storeOrSettle(work: Storing, dependencies: CompleteDependencies): Promise<void> {
  const { attempt, connector, input } = work;
  try {
    await storeConnection(work, dependencies);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    const { requestId } = input;
    const { refusals } = dependencies;
    const refusal = { attempt, connector, code: "server_error", requestId, refusals } as const;
    if (!(await settleAttempt(refusal, dependencies))) throw new ConnectError("server_error", error.message);
  }
}

async function storeConnection(work: Storing, { store, vault, now }: CompleteDependencies): Promise<void> {
  const { input, attempt, connector, grant, account } = work;
  const { userId, clientId, connectorId } = attempt;
  const existing = await store.connections.findOwn({ userId, connectorId });
  if (existing?.state === "disconnecting") throw new ConnectError("disconnecting");
  if (
    existing !== undefined &&
    existing.account.subject !== null &&
    existing.account.subject !== account.subject
  ) {
    throw new ConnectError("other_account");
  }
  const connection = { id: existing?.id ?? randomUUID(), connectorId, userId };
  const credentials = await sealTokens(grant.tokens, { connection, connector, vault });
  const { expiresInSeconds, refreshToken } = grant.tokens;
  await store.transaction(async (transaction) => {
    if (!(await transaction.connectors.lock(connectorId))) throw new ConnectError("not_found");
    const saved = await transaction.connections.save({
      ...connection,
      account,
      credentials,
      grantedScopes: grant.scopes,
      accessExpiresAt:
        expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1000),
      refreshable: refreshToken !== undefined,
      now,
    });
    const outcome = { state: "connected" } as const;
    const concluded =
      saved !== undefined && (await transaction.connectionAttempts.conclude({ id: attempt.id, outcome }));
    // Rolls back the transaction.
    if (!concluded) throw new ConnectError("conflict");
    await recordAudit(transaction, {
      type: existing === undefined ? "connection.created" : "connection.reconnected",
      outcome: "success",
      actor: { type: "user", id: userId },
      at: now,
      subject: userId,
      ...(clientId !== null && { clientId }),
      requestId: input.requestId,
      data: { connector: connector.key, connectionId: connection.id, scopes: grant.scopes },
    });
  });
}

/** Faults of this server are rethrown. */
function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof VaultError) return new ConnectError("connector_key_unavailable", error.message);
  if (!(error instanceof ProviderError)) throw error;
  const { reason, detail } = error;
  const described = `${reason}${detail === undefined ? "" : `: ${detail}`}`;
  switch (reason) {
    case "denied":
      return new ConnectError("access_denied", described);
    case "issuer_mismatch":
    case "account_unknown":
    case "client_refused":
      return new ConnectError(reason, described);
    case "unreachable":
    case "no_answer":
    case "rate_limited":
      return new ConnectError("provider_unreachable", described);
    case "grant_refused":
    case "refused":
    case "invalid_answer":
    default:
      return new ConnectError("provider_error", described);
  }
}
