import type { Database } from "./postgres/database.js";

/** A third party's verdict on a connector's client id and secret. `unknown`: its answer does not tell. */
export const credentialVerdicts = ["accepted", "refused", "unknown"] as const;

export type CredentialVerdict = (typeof credentialVerdicts)[number];

/** How the last test of a connector's credentials ended. */
export interface ConnectorTest {
  readonly verdict: CredentialVerdict;
  /** Which answer it was, as a word for programs. */
  readonly reason: string;
  /** The third party's own error text, cleaned; `null`: none. */
  readonly providerMessage: string | null;
  readonly testedAt: Date;
}

/** In the row of a listed connector. */
export const connectorTestSql = `(SELECT jsonb_build_object(
    'verdict', t.verdict, 'reason', t.reason, 'providerMessage', t.provider_message, 'testedAt', t.tested_at)
  FROM connector_tests t WHERE t.connector_id = c.id)`;

export function createConnectorTestStore(database: Database) {
  return {
    /**
     * Replaces the last result.
     *
     * @param connector - as it was tested; of one that was changed meanwhile nothing is kept
     * @returns whether it was kept
     */
    async save(
      { id, version }: { readonly id: string; readonly version: number },
      { verdict, reason, providerMessage, testedAt }: ConnectorTest,
    ): Promise<boolean> {
      const found: unknown = await database("connectors").first("id").where({ id, version }).forShare();
      if (found === undefined) return false;
      await database("connector_tests")
        .insert({ connector_id: id, verdict, reason, provider_message: providerMessage, tested_at: testedAt })
        .onConflict("connector_id")
        .merge();
      return true;
    },
    /** Removes the result when the credentials change. */
    async remove(connectorId: string): Promise<void> {
      await database("connector_tests").where({ connector_id: connectorId }).delete();
    },
  };
}
