import type { PublicJwk } from "@authz/dpop";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable, insertMissing, json } from "./postgres/table.js";

/** A signing key through its life. */
export interface SigningKeyRecord {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  /** Sealed by the credential vault, bound to `signingKeyRow(kid)`; `null` once the key no longer signs. */
  readonly privateJwk: Buffer | null;
  readonly source: "environment" | "generated";
  /** `staged`: in the key set, signs nothing yet. `active`: signs. `retired`: signs nothing any more. */
  readonly state: "staged" | "active" | "retired";
  readonly stagedAt: Date;
  readonly activatedAt: Date | null;
  readonly retiredAt: Date | null;
  /** When a retired key leaves the key set. */
  readonly publishedUntil: Date | null;
  /** When a staged key becomes active by itself; `null` or absent: when an operator activates it. */
  readonly activatesAt?: Date | null;
}

const table = defineTable<SigningKeyRecord>("signing_keys", {
  kid: "kid",
  publicJwk: json("public_jwk"),
  privateJwk: "private_jwk",
  source: "source",
  state: "state",
  stagedAt: "staged_at",
  activatedAt: "activated_at",
  retiredAt: "retired_at",
  publishedUntil: "published_until",
  activatesAt: "activates_at",
});

/** There are a few of them in a year, so no index is needed. */
const pageColumns: PageColumns<"stagedAt"> = {
  id: { sql: "kid", type: "text" },
  sorts: { stagedAt: { sql: "staged_at", type: "timestamptz" } },
};

const publishedSql = `
  SELECT ${table.select()} FROM signing_keys WHERE state <> 'retired' OR published_until > $1
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
    private_jwk = CASE WHEN k.kid = :kid THEN k.private_jwk END,
    activates_at = NULL
  FROM chosen WHERE k.kid = chosen.kid OR k.state = 'active'
  RETURNING k.kid`;

export function createSigningKeyStore(database: Database) {
  const keys = () => database("signing_keys");
  const selected = () => keys().select<SigningKeyRecord[]>(database.raw(table.select()));

  return {
    async find(kid: string): Promise<SigningKeyRecord | undefined> {
      const [key] = await selected().where({ kid });
      return key;
    },
    /** The newest first. */
    async list({ limit }: { limit: number }): Promise<readonly SigningKeyRecord[]> {
      return await selected()
        .orderBy([{ column: "staged_at", order: "desc" }, "kid"])
        .limit(limit);
    },
    async listPage(request: PageRequest<"stagedAt">): Promise<Page<SigningKeyRecord>> {
      const query = selected();
      whereContains(query, "kid", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    /** The keys that belong in the key set at this moment, the active one first. */
    async listPublished(now: Date): Promise<readonly SigningKeyRecord[]> {
      const statement = { name: "signing_keys_published", text: publishedSql, values: [now] };
      return await prepared<SigningKeyRecord>(database, statement);
    },
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(key: SigningKeyRecord): Promise<boolean> {
      return await insertMissing(database, "signing_keys", { row: table.toRow(key), key: "kid" });
    },
    /**
     * Makes a key that was staged by `stagedBefore` the active one and retires the one before it, in one statement.
     * Returns the retired key, or `undefined` when the key was not that and nothing changed.
     */
    async activate(change: {
      kid: string;
      stagedBefore: Date;
      at: Date;
      /** Of the key before it. */
      publishedUntil: Date;
    }): Promise<{ readonly retired: string | null } | undefined> {
      const rows = await queryRows<{ kid: string }>(database, activateSql, change);
      if (rows.length === 0) return undefined;
      return { retired: rows.find(({ kid }) => kid !== change.kid)?.kid ?? null };
    },
    /** Schedules the activation of a staged key. Returns whether that changed it. */
    async schedule({ kid, activatesAt }: { kid: string; activatesAt: Date | null }): Promise<boolean> {
      const staged = keys().where({ kid, state: "staged" });
      const changed = staged.whereRaw("activates_at IS DISTINCT FROM ?::timestamptz", [activatesAt]);
      return (await changed.update({ activates_at: activatesAt })) > 0;
    },
    /** Staged keys that are due for activation, the earliest first. */
    async listDue(now: Date): Promise<readonly string[]> {
      const due = keys().where("state", "staged").where("activates_at", "<=", now);
      return await due.orderBy(["activates_at", "staged_at", "kid"]).pluck<string[]>("kid");
    },
    /** Retires a staged key, which signed nothing. Returns whether it was one. */
    async withdraw({ kid, at }: { kid: string; at: Date }): Promise<boolean> {
      const retired = {
        state: "retired",
        retired_at: at,
        published_until: at,
        private_jwk: null,
        activates_at: null,
      } as const;
      return (await keys().where({ kid, state: "staged" }).update(retired)) > 0;
    },
    /** Takes a retired key out of the key set before its time. Returns whether it was there. */
    async unpublish({ kid, at }: { kid: string; at: Date }): Promise<boolean> {
      const published = keys().where({ kid, state: "retired" }).where("published_until", ">", at);
      return (await published.update({ published_until: at })) > 0;
    },
  };
}
