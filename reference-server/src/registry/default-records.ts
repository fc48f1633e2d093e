import { recordAudit } from "../audit/record.js";
import { systemScopes } from "../store/system-scopes.js";
import { type Client, registeredClient } from "../store/clients.js";
import type { Store } from "../store/store.js";

/** The command-line client, present in every installation. */
export const builtInClient: Client = {
  id: "authz-cli",
  ...registeredClient,
  name: "Authz command line",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
  keys: [],
  dpopBound: true,
  builtIn: true,
  enabled: true,
};

/**
 * Creates the records that every installation has, and leaves existing ones alone.
 *
 * Processes that start together may all call it: each record is created once, and audited by who created it.
 */
export async function createDefaultRecords(store: Store, at: Date): Promise<void> {
  await store.transaction(async (tx) => {
    const created: string[] = [];
    for (const scope of systemScopes) {
      if (await tx.scopes.insertMissing(scope, at)) created.push(`scope ${scope.key}`);
    }
    if (await tx.clients.insertMissing(builtInClient, at)) created.push(`client ${builtInClient.id}`);
    if (await tx.settings.insertMissing({ installationName: "Authz" }, at)) created.push("settings");
    if (created.length === 0) return;
    await recordAudit(tx, {
      type: "defaults.created",
      outcome: "success",
      actor: { type: "system" },
      at,
      data: { records: created },
    });
  });
}
