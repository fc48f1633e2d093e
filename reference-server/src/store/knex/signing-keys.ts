import type { SigningKeyRecord, SigningKeyStore } from "../signing-keys.js";
import { type Database, prepared } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";

interface SigningKeyRow {
  kid: string;
  public_jwk: SigningKeyRecord["publicJwk"];
  private_jwk: Buffer | null;
  source: SigningKeyRecord["source"];
  state: SigningKeyRecord["state"];
  staged_at: Date;
  activated_at: Date | null;
  retired_at: Date | null;
  published_until: Date | null;
}

/** There are a few of them in a year, so no index is needed. */
const columns: PageColumns<"stagedAt"> = {
  id: { sql: "kid", type: "text" },
  sorts: { stagedAt: { sql: "staged_at", type: "timestamptz" } },
};

const publishedSql = `
  SELECT * FROM signing_keys WHERE state <> 'retired' OR published_until > $1
  ORDER BY state = 'active' DESC, staged_at DESC, kid`;

const activateSql = `
  WITH chosen AS (
    SELECT kid FROM signing_keys WHERE kid = :kid AND state = 'staged' AND staged_at <= :stagedBefore FOR UPDATE
  )
  UPDATE signing_keys k SET
    state = CASE WHEN k.kid = :kid THEN 'active' ELSE 'retired' END,
    activated_at = CASE WHEN k.kid = :kid THEN :at::timestamptz ELSE k.activated_at END,
    retired_at = CASE WHEN k.kid = :kid THEN NULL ELSE :at::timestamptz END,
    published_until = CASE WHEN k.kid = :kid THEN NULL ELSE :publishedUntil::timestamptz END,
    private_jwk = CASE WHEN k.kid = :kid THEN k.private_jwk END
  FROM chosen WHERE k.kid = chosen.kid OR k.state = 'active'
  RETURNING k.kid`;

export function createSigningKeyStore(database: Database): SigningKeyStore {
  const keys = () => database<SigningKeyRow>("signing_keys");

  return {
    async find(kid) {
      const row = await keys().first().where({ kid });
      return row && fromRow(row);
    },
    async list({ limit }) {
      const rows = await keys()
        .orderBy([{ column: "staged_at", order: "desc" }, "kid"])
        .limit(limit);
      return rows.map(fromRow);
    },
    async listPage(request) {
      const query = keys().select("*");
      if (request.q !== undefined) void query.whereRaw("lower(kid) LIKE ?", [containsPattern(request.q)]);
      const { items, next } = await selectPage<SigningKeyRow, "stagedAt">(query, { columns, request });
      return { items: items.map(fromRow), next };
    },
    async listPublished(now) {
      const statement = { name: "signing_keys_published", text: publishedSql, values: [now] };
      return (await prepared<SigningKeyRow>(database, statement)).map(fromRow);
    },
    async insertMissing(key) {
      const rows: unknown[] = await database("signing_keys")
        .insert({
          kid: key.kid,
          public_jwk: JSON.stringify(key.publicJwk),
          private_jwk: key.privateJwk,
          source: key.source,
          state: key.state,
          staged_at: key.stagedAt,
          activated_at: key.activatedAt,
          retired_at: key.retiredAt,
          published_until: key.publishedUntil,
        })
        .onConflict("kid")
        .ignore()
        .returning("kid");
      return rows.length > 0;
    },
    async activate(change) {
      const result: { rows: { kid: string }[] } = await database.raw(activateSql, change);
      if (result.rows.length === 0) return undefined;
      return { retired: result.rows.find(({ kid }) => kid !== change.kid)?.kid ?? null };
    },
    async withdraw({ kid, at }) {
      const retired = { state: "retired", retired_at: at, published_until: at, private_jwk: null } as const;
      return (await keys().where({ kid, state: "staged" }).update(retired)) > 0;
    },
    async unpublish({ kid, at }) {
      const published = keys().where({ kid, state: "retired" }).where("published_until", ">", at);
      return (await published.update({ published_until: at })) > 0;
    },
  };
}

function fromRow(row: SigningKeyRow): SigningKeyRecord {
  return {
    kid: row.kid,
    publicJwk: row.public_jwk,
    privateJwk: row.private_jwk,
    source: row.source,
    state: row.state,
    stagedAt: row.staged_at,
    activatedAt: row.activated_at,
    retiredAt: row.retired_at,
    publishedUntil: row.published_until,
  };
}
