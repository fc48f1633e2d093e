import { z } from "zod";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { connectionRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";

/** The tokens of a connection, as they are sealed. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** The client that they were issued to; no other one may use them. */
  readonly clientId: string;
  readonly tokenEndpoint: string;
  /** Where they may be sent: the hosts that the connector named when the person connected. */
  readonly origins: readonly string[];
}

const storedSchema = z.strictObject({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  clientId: z.string(),
  tokenEndpoint: z.string(),
  origins: z.array(z.string()),
});

type RowName = Pick<Connection, "id" | "connectorId" | "userId">;

type Places = Pick<Connector, "tokenEndpoint" | "revocationEndpoint" | "accountEndpoint" | "requestPrefixes">;

/** Every host that gets tokens of a connector, if a person connects now. */
export function originsOf(connector: Places): readonly string[] {
  const { tokenEndpoint, revocationEndpoint, accountEndpoint, requestPrefixes } = connector;
  const addresses = [tokenEndpoint, revocationEndpoint, accountEndpoint, ...requestPrefixes];
  return [...new Set(addresses.filter((address) => address !== null).map((text) => new URL(text).origin))];
}

/**
 * Whether tokens may be sent to an address. A later change of the connector adds no host: the person has to connect again first.
 */
export function mayGoTo({ origins }: Pick<StoredTokens, "origins">, address: string | URL): boolean {
  return origins.includes(new URL(address).origin);
}

/** New tokens; refreshed ones have the `origins` of those that they replace. */
export type NewTokens = Pick<StoredTokens, "accessToken" | "refreshToken"> &
  Partial<Pick<StoredTokens, "origins">>;

/** The text that is sealed. */
export function writeTokens(tokens: NewTokens, connector: Places & Pick<Connector, "clientId">): string {
  const { accessToken, refreshToken, origins = originsOf(connector) } = tokens;
  const { clientId, tokenEndpoint } = connector;
  const stored: StoredTokens = { accessToken, refreshToken, clientId, tokenEndpoint, origins };
  return JSON.stringify(stored);
}

/** @throws {VaultError} */
export async function sealTokens(
  tokens: NewTokens,
  {
    connection,
    connector,
    vault,
  }: {
    readonly connection: RowName;
    readonly connector: Places & Pick<Connector, "clientId">;
    readonly vault: Pick<Vault, "seal">;
  },
): Promise<Buffer> {
  return await vault.seal(writeTokens(tokens, connector), connectionRow(connection));
}

/** @throws {VaultError} Its reason is `unreadable` when only connecting again helps. */
export async function openTokens(
  connection: RowName & Pick<Connection, "credentials">,
  vault: Pick<Vault, "open">,
): Promise<StoredTokens> {
  const row = connectionRow(connection);
  const text = await vault.open(connection.credentials, row);
  try {
    const { refreshToken, ...tokens } = storedSchema.parse(JSON.parse(text));
    return { ...tokens, refreshToken };
  } catch {
    // Without the cause: it quotes what it could not read.
    throw new VaultError("unreadable", `What is sealed for ${row} is no set of tokens.`);
  }
}

/** Whether tokens were issued to the connector's present client. */
export function belongTo(
  tokens: StoredTokens,
  connector: Pick<Connector, "clientId" | "tokenEndpoint">,
): boolean {
  return tokens.clientId === connector.clientId && tokens.tokenEndpoint === connector.tokenEndpoint;
}

/** The required scopes of a connector that were not granted. */
export function missingScopes(
  { scopes }: Pick<Connector, "scopes">,
  granted: readonly string[],
): readonly string[] {
  return scopes.flatMap(({ scope, required }) => (required && !granted.includes(scope) ? [scope] : []));
}
