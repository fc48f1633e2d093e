import { z } from "zod";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { connectionRow, type Envelope, type EnvelopeVault } from "../keys/envelope.js";
import { ConnectorKeyError } from "../keys/key-ring.js";

/** The tokens of a connection, as they are sealed. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Whom they were given to: they are shown to nobody else. */
  readonly clientId: string;
  readonly tokenEndpoint: string;
}

const storedSchema = z.strictObject({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  clientId: z.string(),
  tokenEndpoint: z.string(),
});

type RowName = Pick<Connection, "id" | "connectorId" | "userId">;

/** The text that is sealed. */
export function writeTokens(
  { accessToken, refreshToken }: { readonly accessToken: string; readonly refreshToken: string | undefined },
  { clientId, tokenEndpoint }: Pick<Connector, "clientId" | "tokenEndpoint">,
): string {
  const stored: StoredTokens = { accessToken, refreshToken, clientId, tokenEndpoint };
  return JSON.stringify(stored);
}

/** @throws {ConnectorKeyError} */
export async function sealTokens(
  tokens: { readonly accessToken: string; readonly refreshToken: string | undefined },
  {
    connection,
    connector,
    vault,
  }: {
    readonly connection: RowName;
    readonly connector: Pick<Connector, "clientId" | "tokenEndpoint">;
    readonly vault: Pick<EnvelopeVault, "seal">;
  },
): Promise<Envelope> {
  return await vault.seal(writeTokens(tokens, connector), connectionRow(connection));
}

/** @throws {ConnectorKeyError} Its reason is `unreadable` when only connecting again helps. */
export async function openTokens(
  connection: RowName & Pick<Connection, "credentials">,
  vault: Pick<EnvelopeVault, "open">,
): Promise<StoredTokens> {
  const row = connectionRow(connection);
  const text = await vault.open(connection.credentials, row);
  try {
    const { refreshToken, ...tokens } = storedSchema.parse(JSON.parse(text));
    return { ...tokens, refreshToken };
  } catch {
    // Without the cause: it quotes what it could not read.
    throw new ConnectorKeyError("unreadable", `What is sealed for ${row} is no set of tokens.`);
  }
}

/** Whether tokens were given to the client that the connector is now. */
export function belongTo(
  tokens: StoredTokens,
  connector: Pick<Connector, "clientId" | "tokenEndpoint">,
): boolean {
  return tokens.clientId === connector.clientId && tokens.tokenEndpoint === connector.tokenEndpoint;
}
