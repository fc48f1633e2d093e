import type { ClientName } from "./grants.js";
import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";
import { isGrantLiveSql } from "./stop-conditions.js";

/** An earlier consent of a user for a client at a service. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly resourceId: string;
  readonly scopes: readonly string[];
  /** SHA-256 of what the client was then: with other redirect addresses or keys it is asked again. */
  readonly clientDigest: Buffer;
  readonly givenAt: Date;
}

/** A standing consent as its user sees it. */
export interface StandingConsent extends Pick<Consent, "scopes" | "givenAt"> {
  readonly client: ClientName;
  readonly serviceName: string;
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

/**
 * Whether a consent counts: for as long as a grant lives that the person allowed the client at the service. What has ended the last
 * of them makes no difference: revocation, reuse, expiry or a stop.
 */
export const standsSql = (consent: string, now: string): string => `EXISTS (
    SELECT FROM grants g WHERE g.user_id = ${consent}.user_id AND g.client_id = ${consent}.client_id
      AND g.resource_id = ${consent}.resource_id AND g.provider_id IS NULL AND ${isGrantLiveSql("g", now)})`;

/** More scopes for the same client are added to a consent that stands; any other is replaced. */
const saveSql = `
  INSERT INTO consents (${table.columns.join(", ")}) VALUES (:userId, :clientId, :resourceId, :scopes, :clientDigest, :givenAt)
  ON CONFLICT (user_id, client_id, resource_id) DO UPDATE SET
    scopes = CASE WHEN consents.client_digest = excluded.client_digest AND ${standsSql("consents", "excluded.given_at")}
      THEN ARRAY(SELECT unnest(consents.scopes) UNION SELECT unnest(excluded.scopes) ORDER BY 1) ELSE excluded.scopes END,
    client_digest = excluded.client_digest, given_at = excluded.given_at`;

const forgetSql = `
  DELETE FROM consents c USING grants g WHERE g.id = ANY (:grantIds::uuid[])
    AND c.user_id = g.user_id AND c.client_id = g.client_id AND c.resource_id = g.resource_id`;

export function createConsentStore(database: Database) {
  const own = ({ userId, clientId, resourceId }: ConsentKey) =>
    database("consents").where({ user_id: userId, client_id: clientId, resource_id: resourceId });
  return {
    /** The consent, if it stands. */
    async find({ now, ...key }: ConsentKey & { readonly now: Date }): Promise<Consent | undefined> {
      const [consent] = await own(key)
        .select<Consent[]>(database.raw(table.select()))
        .whereRaw(standsSql("consents", "?"), [now]);
      return consent;
    },
    async listStanding({
      userId,
      now,
    }: Pick<Consent, "userId"> & { readonly now: Date }): Promise<readonly StandingConsent[]> {
      return await database("consents AS c")
        .join("resources AS r", "r.id", "c.resource_id")
        .join("clients AS a", "a.id", "c.client_id")
        .where("c.user_id", userId)
        .whereRaw(standsSql("c", "?"), [now])
        .orderBy("r.name")
        .select<StandingConsent[]>({ scopes: "c.scopes", givenAt: "c.given_at", serviceName: "r.name" })
        .select(database.raw("json_build_object('id', a.id, 'name', a.name, 'source', a.source) AS client"));
    },
    async save({ scopes, ...consent }: Consent): Promise<void> {
      await database.raw(saveSql, { ...consent, scopes: [...scopes] });
    },
    /** Deletes the consent of a user for a client at a service, which they have denied since. */
    async forget(key: ConsentKey): Promise<void> {
      await own(key).delete();
    },
    async forgetAll(userId: string): Promise<void> {
      await database("consents").where({ user_id: userId }).delete();
    },
    /** Forgets what these grants rest on, also where others of the same app live: a person who ends one is asked the next time. */
    async forgetOf(grantIds: readonly string[]): Promise<void> {
      if (grantIds.length > 0) await database.raw(forgetSql, { grantIds: [...grantIds] });
    },
  };
}
