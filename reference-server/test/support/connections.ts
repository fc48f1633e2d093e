import { randomUUID } from "node:crypto";
import { sealTokens } from "../../src/connectors/refresh/stored-tokens.js";
import type { ServerContext } from "../../src/context.js";
import type { Connection } from "../../src/store/connections.js";

/** What stands for the tokens of a connection; no third party knows them. */
const storedTokens = { accessToken: "stored-access-token", refreshToken: "stored-refresh-token" };

/** Stores a connection as if the person had come back from the third party. */
export async function storeConnection(
  { store, connectorVault }: Pick<ServerContext, "store" | "connectorVault">,
  {
    connector: key,
    userId,
    now,
  }: { readonly connector: string; readonly userId: string; readonly now: Date },
): Promise<Connection> {
  const connector = await store.connectors.findByKey(key);
  if (connector === undefined) throw new Error(`There is no connector ${key}.`);
  const { id: connectorId } = connector;
  const id = (await store.connections.findOwn({ userId, connectorId }))?.id ?? randomUUID();
  const saved = await store.connections.save({
    id,
    connectorId,
    userId,
    account: { subject: `${userId} elsewhere`, label: "ada@private.example" },
    credentials: await sealTokens(storedTokens, {
      connection: { id, connectorId, userId },
      connector,
      vault: connectorVault,
    }),
    grantedScopes: ["notes:read"],
    accessExpiresAt: new Date(now.getTime() + 3_600_000),
    refreshable: true,
    now,
  });
  if (saved === undefined) throw new Error("The connection was not stored.");
  return saved;
}
