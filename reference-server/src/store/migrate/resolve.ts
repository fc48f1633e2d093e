import { exclusively, withConnection } from "./connection.js";
import { ledgerExists, markRolledBack } from "./ledger.js";

/** Marks the failed attempt of a migration as rolled back, so that the next start tries it again. */
export async function resolveRolledBack(postgresUrl: string, name: string): Promise<boolean> {
  return await withConnection(postgresUrl, (client) =>
    exclusively(client, async () => (await ledgerExists(client)) && (await markRolledBack(client, name))),
  );
}
