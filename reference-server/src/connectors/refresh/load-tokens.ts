import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { recordAudit } from "../../audit/record.js";
import type { Connection, ReconnectReason } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Provider } from "../provider/provider.js";
import { belongTo, openTokens, type StoredTokens } from "./stored-tokens.js";

/**
 * Why there is no access token. `refresh_unavailable`: the third party cannot be asked now.
 * `not_connected`: the account was disconnected meanwhile.
 */
export type CredentialsErrorReason =
  | "reconnect_required"
  | "disconnecting"
  | "not_connected"
  | "refresh_unavailable";

export interface CredentialsErrorOptions {
  /** With `reconnect_required`. */
  readonly reconnectReason?: ReconnectReason;
  /** With `refresh_unavailable`. */
  readonly retryAfterSeconds?: number;
}

/** A connection has no access token that could be used now. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly reason: CredentialsErrorReason;
  readonly reconnectReason: ReconnectReason | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(reason: CredentialsErrorReason, options: CredentialsErrorOptions = {}) {
    super(`The connection has no access token that could be used now: ${reason}.`);
    this.reason = reason;
    this.reconnectReason = options.reconnectReason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export interface CredentialsOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An access token of a third party. It is sent to its `origins` only. */
export interface LoadedAccessToken {
  readonly accessToken: string;
  readonly origins: readonly string[];
  /** The version of its set of tokens, for `markStale`. */
  readonly credentialVersion: number;
  readonly tokenType: "Bearer";
}

/** @throws {CredentialsError} The connection cannot be used. */
export function requireUsable({ state, reason }: Connection): void {
  if (state === "connected") return;
  if (state === "disconnecting") throw new CredentialsError("disconnecting");
  throw new CredentialsError("reconnect_required", reason === null ? {} : { reconnectReason: reason });
}

/** The stored access token, even if it has expired. */
export async function loadStored(
  connection: Connection,
  connector: Connector,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  return toLoaded(await loadTokens(connection, connector, options), connection);
}

/** The part of stored tokens that a request needs. */
export function toLoaded(
  { accessToken, origins }: StoredTokens,
  { credentialVersion }: Connection,
): LoadedAccessToken {
  return { accessToken, origins, credentialVersion, tokenType: "Bearer" };
}

/** Opens the tokens of a connection. If they can never be used again, the person has to connect again. */
export async function loadTokens(
  connection: Connection,
  connector: Connector,
  options: CredentialsOptions,
): Promise<StoredTokens> {
  let tokens: StoredTokens;
  try {
    tokens = await openTokens(connection, options.vault);
  } catch (error) {
    if (!(error instanceof VaultError) || error.reason !== "unreadable") throw error;
    const { log } = options;
    log.error(
      {
        code: "CONNECTION_UNREADABLE",
        connector: connector.key,
        connectionId: connection.id,
        problem: error.message,
      },
      "The tokens of a connection cannot be decrypted. The person has to connect again.",
    );
    throw await requireReconnect({ connection, connector, reason: "unreadable" }, options);
  }
  if (belongTo(tokens, connector)) return tokens;
  throw await requireReconnect({ connection, connector, reason: "client_changed" }, options);
}

/** Stores and audits that a person must connect again. Returns the error to throw. */
export async function requireReconnect(
  change: {
    readonly connection: Connection;
    readonly connector: Connector;
    readonly reason: ReconnectReason;
  },
  { store, clock }: Pick<CredentialsOptions, "store" | "clock">,
): Promise<CredentialsError> {
  const { connection, connector, reason } = change;
  const { id, credentialVersion, userId } = connection;
  await store.transaction(async (transaction) => {
    if (!(await transaction.connections.requireReconnect({ id, credentialVersion, reason }))) return;
    await recordAudit(transaction, {
      type: "connection.reconnect_required",
      outcome: "failed",
      actor: { type: "system" },
      at: new Date(clock()),
      subject: userId,
      data: { connector: connector.key, connectionId: id, reason },
    });
  });
  return new CredentialsError("reconnect_required", { reconnectReason: reason });
}
