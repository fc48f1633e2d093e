import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** What a person has allowed a client at a service before. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly resourceId: string;
  readonly scopes: readonly string[];
  /** SHA-256 of what the client was then: with other redirect addresses or keys it is asked again. */
  readonly clientDigest: Buffer;
  readonly givenAt: Date;
}

type ConsentKey = Pick<Consent, "userId" | "clientId" | "resourceId">;

const table = defineTable<Consent>("consents", {
  userId: "user_id",
  clientId: "client_id",
  resourceId: "resource_id",
  scopes: "scopes",
  clientDigest: "client_digest",
  givenAt: "given_at",
});

/** More scopes for the same client are added; what another client was allowed under this name is forgotten. */
const saveSql = `
  INSERT INTO consents (${table.columns.join(", ")}) VALUES (:userId, :clientId, :resourceId, :scopes, :clientDigest, :givenAt)
  ON CONFLICT (user_id, client_id, resource_id) DO UPDATE SET
    scopes = CASE WHEN consents.client_digest = excluded.client_digest
      THEN ARRAY(SELECT unnest(consents.scopes) UNION SELECT unnest(excluded.scopes) ORDER BY 1) ELSE excluded.scopes END,
    client_digest = excluded.client_digest, given_at = excluded.given_at`;

const forgetSql = `
  DELETE FROM consents c USING grants g WHERE g.id = ANY (:grantIds::uuid[])
    AND c.user_id = g.user_id AND c.client_id = g.client_id AND c.resource_id = g.resource_id`;

export function createConsentStore(database: Database) {
  return {
    async find({ userId, clientId, resourceId }: ConsentKey): Promise<Consent | undefined> {
      const [consent] = await database("consents")
        .select<Consent[]>(database.raw(table.select()))
        .where({ user_id: userId, client_id: clientId, resource_id: resourceId });
      return consent;
    },
    async save({ scopes, ...consent }: Consent): Promise<void> {
      await database.raw(saveSql, { ...consent, scopes: [...scopes] });
    },
    /** Forgets what these grants rest on: whoever ends one is asked the next time. */
    async forgetOf(grantIds: readonly string[]): Promise<void> {
      if (grantIds.length > 0) await database.raw(forgetSql, { grantIds: [...grantIds] });
    },
    /** Forgets all that a person has allowed, or that a client was allowed, also where no grant is left of it. */
    async forgetAll(of: { readonly userId: string } | { readonly clientId: string }): Promise<void> {
      const whose = "userId" in of ? { user_id: of.userId } : { client_id: of.clientId };
      await database("consents").where(whose).delete();
    },
  };
}
