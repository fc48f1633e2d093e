import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import type { Pool } from "pg";

/**
 * One table for all models with the payload as JSONB, an index for each way it is looked up, as the library's example
 * adapters have it. Every statement is prepared by name, as ours are.
 */
const schema = `
  CREATE TABLE oidc_payloads (
    model text NOT NULL,
    id text NOT NULL,
    payload jsonb NOT NULL,
    grant_id text,
    user_code text,
    uid text,
    expires_at timestamptz,
    consumed_at timestamptz,
    PRIMARY KEY (model, id)
  );
  CREATE INDEX oidc_payloads_grant_id ON oidc_payloads (grant_id) WHERE grant_id IS NOT NULL;
  CREATE UNIQUE INDEX oidc_payloads_user_code ON oidc_payloads (user_code) WHERE user_code IS NOT NULL;
  CREATE UNIQUE INDEX oidc_payloads_uid ON oidc_payloads (uid) WHERE uid IS NOT NULL;
  CREATE INDEX oidc_payloads_expires_at ON oidc_payloads (expires_at)`;

const found = `SELECT payload, extract(epoch FROM consumed_at)::integer AS consumed FROM oidc_payloads
  WHERE (expires_at IS NULL OR expires_at > now()) AND`;

const statements = {
  upsert: `
    INSERT INTO oidc_payloads (model, id, payload, grant_id, user_code, uid, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 second')
    ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
  find: `${found} model = $1 AND id = $2`,
  find_by_uid: `${found} model = $1 AND uid = $2`,
  find_by_user_code: `${found} model = $1 AND user_code = $2`,
  consume: "UPDATE oidc_payloads SET consumed_at = now() WHERE model = $1 AND id = $2",
  destroy: "DELETE FROM oidc_payloads WHERE model = $1 AND id = $2",
  revoke: "DELETE FROM oidc_payloads WHERE model = $1 AND grant_id = $2",
} as const;

interface Row {
  readonly payload: AdapterPayload;
  readonly consumed: number | null;
}

/** Creates the table and returns the adapter for it. */
export async function createPostgresAdapter(pool: Pool): Promise<AdapterFactory> {
  await pool.query(schema);

  async function run(name: keyof typeof statements, values: unknown[]): Promise<readonly Row[]> {
    const { rows } = await pool.query<Row>({ name, text: statements[name], values });
    return rows;
  }

  async function findOne(
    name: keyof typeof statements,
    values: unknown[],
  ): Promise<AdapterPayload | undefined> {
    const [row] = await run(name, values);
    if (row === undefined) return undefined;
    return row.consumed === null ? row.payload : { ...row.payload, consumed: row.consumed };
  }

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const { grantId = null, userCode = null, uid = null } = payload;
      await run("upsert", [model, id, JSON.stringify(payload), grantId, userCode, uid, expiresIn ?? null]);
    },
    find: (id) => findOne("find", [model, id]),
    findByUid: (uid) => findOne("find_by_uid", [model, uid]),
    findByUserCode: (userCode) => findOne("find_by_user_code", [model, userCode]),
    async consume(id) {
      await run("consume", [model, id]);
    },
    async destroy(id) {
      await run("destroy", [model, id]);
    },
    async revokeByGrantId(grantId) {
      await run("revoke", [model, grantId]);
    },
  });
}

/**
 * The library's own in-memory adapter keeps a thousand entries, fewer than one round of codes needs. This one keeps
 * all, and does as little.
 */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new Map<string, AdapterPayload>();
  const findBy = (matches: (payload: AdapterPayload) => boolean) => [...entries.values()].find(matches);
  return (model): Adapter => ({
    async upsert(id, payload) {
      entries.set(`${model}:${id}`, payload);
    },
    find: async (id) => entries.get(`${model}:${id}`),
    findByUid: async (uid) => findBy((payload) => payload.uid === uid),
    findByUserCode: async (code) => findBy((payload) => payload.userCode === code),
    async consume(id) {
      const payload = entries.get(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of entries) if (payload.grantId === grantId) entries.delete(key);
    },
  });
}
