import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { recordAudit } from "../../audit/record.js";
import type { Connection, ReconnectReason } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { Provider } from "../provider/provider.js";
import { CredentialsError } from "./credentials-error.js";
import { belongTo, openTokens, type StoredTokens } from "./stored-tokens.js";

export interface CredentialsOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An access token of a third party. It goes to its `origins` and nowhere else. */
export interface LoadedAccessToken {
  readonly accessToken: string;
  readonly origins: readonly string[];
  /** Which set of tokens it is of, for `markStale`. */
  readonly credentialVersion: number;
  readonly tokenType: "Bearer";
}

/** @throws {CredentialsError} Nothing may be sent with it. */
export function requireUsable({ state, reason }: Connection): void {
  if (state === "connected") return;
  if (state === "disconnecting") throw new CredentialsError("disconnecting");
  throw new CredentialsError("reconnect_required", reason === null ? {} : { reconnectReason: reason });
}

/** The access token that is stored, whatever time it has left. */
export async function loadStored(
  connection: Connection,
  connector: Connector,
  options: CredentialsOptions,
): Promise<LoadedAccessToken> {
  return toLoaded(await loadTokens(connection, connector, options), connection);
}

/** What a request needs of the tokens that are stored. */
export function toLoaded(
  { accessToken, origins }: StoredTokens,
  { credentialVersion }: Connection,
): LoadedAccessToken {
  return { accessToken, origins, credentialVersion, tokenType: "Bearer" };
}

/** Opens the tokens of a connection; those that can never be used again ask for a new connection. */
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
