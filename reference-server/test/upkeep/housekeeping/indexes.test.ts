import { afterAll, beforeAll, expect, test } from "vitest";
import { expiredKinds, removeStatement } from "../../../src/store/expired-records.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { explain } from "../../support/explain.js";

let database: TestDatabase;

/** Three thousand rows of each kind, a few of them over. */
beforeAll(async () => {
  database = await createTestDatabase(new Date("2026-11-20"));
  const rows = "generate_series(1, 3000) AS n";
  const at = "timestamptz '2026-11-20' + (n - 10) * interval '1 minute'";
  const hash = "sha256(n::text::bytea)";
  const id = "gen_random_uuid()";
  await database.query(`
    SET session_replication_role = replica;
    INSERT INTO dpop_replays SELECT 'k' || n, ${at} FROM ${rows};
    INSERT INTO rate_limits SELECT 'k' || n, extract(epoch FROM ${at})::integer / 60, 1 FROM ${rows};
    INSERT INTO audit_client_counts SELECT ${at}, 'c' || n, n, 0 FROM ${rows};
    INSERT INTO audit_client_people SELECT 'c' || n, 'u', ${at} FROM ${rows};
    INSERT INTO audit_counts SELECT ${at}, 'token.issued', 'success', n FROM ${rows};
    INSERT INTO audit_resource_counts SELECT date '2026-11-20' + (n - 10), 'r', n FROM ${rows};
    INSERT INTO skill_reads SELECT ${at}, 's', n FROM ${rows};
    INSERT INTO usage_counts SELECT unit, ${at}, 'c', 'service', 's', n, 0, 0, 0 FROM ${rows}, unnest(ARRAY['hour', 'day']) AS unit;
    INSERT INTO usage_people SELECT unit, ${at}, 'u', 'c', 'service', 's', n, 0, 0, 0
      FROM ${rows}, unnest(ARRAY['hour', 'day']) AS unit;
    INSERT INTO usage_person_sums SELECT unit, ${at}, 'u', n, 0, 0, 0
      FROM ${rows}, unnest(ARRAY['hour', 'day', 'week']) AS unit;
    INSERT INTO usage_denials SELECT unit, ${at}, 'u', 'c', 'service', 's', 'a:b', 'r', n, now()
      FROM ${rows}, unnest(ARRAY['hour', 'day']) AS unit;
    INSERT INTO sign_in_attempts (state_hash, browser_hash, provider_id, created_at, expires_at)
      SELECT ${hash}, '', ${id}, now(), ${at} FROM ${rows};
    INSERT INTO sign_in_tests (id, state_hash, browser_hash, provider_id, session_id, user_id, settings, with_changes,
      created_at, expires_at)
      SELECT ${id}, ${hash}, '', ${id}, ${id}, ${id}, '', false, now(), ${at} FROM ${rows};
    INSERT INTO browser_sessions (id, token_hash, user_id, provider_id, auth_time, amr, signed_in_at, expires_at)
      SELECT ${id}, ${hash}, ${id}, ${id}, now(), '{}', now(), ${at} FROM ${rows};
    INSERT INTO connection_attempts (id, connector_id, user_id, scopes, created_at, expires_at)
      SELECT ${id}, ${id}, ${id}, '{}', now(), ${at} FROM ${rows};
    INSERT INTO known_groups (provider_id, key, seen_at) SELECT ${id}, 'k' || n, ${at} FROM ${rows};
    INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at) SELECT ${id}, ${id}, '{}', now(), ${at} FROM ${rows};
    INSERT INTO authorization_requests (id, browser_hash, client_id, redirect_uri, scopes, code_challenge, dpop_jkt,
      prompts, created_at, expires_at)
      SELECT ${id}, '', 'authz-cli', '', '{}', '', '', '{}', now(), ${at} FROM ${rows};
    INSERT INTO device_authorizations (id, device_code_hash, user_code_hash, client_id, scopes, created_at, expires_at,
      interval_seconds)
      SELECT ${id}, ${hash}, ${hash}, 'authz-cli', '{}', now(), ${at}, 5 FROM ${rows};
    INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at, revoked_at,
      status_index)
      SELECT ${id}, ${id}, 'authz-cli', '', '{}', now(), '{}', now(), ${at}, CASE WHEN n % 10 = 0 THEN ${at} END, n
      FROM ${rows};
    INSERT INTO status_entries (status_index, holder, drawn_at, free_at) SELECT n, 'h', now(), ${at} FROM ${rows};
    INSERT INTO stops (user_id, stopped, not_before, set_at) SELECT ${id}, n % 2 = 0, ${at}, ${at} FROM ${rows};
    INSERT INTO consents SELECT ${id}, 'authz-cli', ${id}, '{}', '', ${at} FROM ${rows};
    INSERT INTO access_requests (id, user_id, kind, target, scopes, reason, state, decided_at, created_at)
      SELECT ${id}, ${id}, 'service', 's', '{a:b}', 'r', 'declined', ${at}, ${at} FROM ${rows};
    INSERT INTO app_requests SELECT 'h' || n, ${id}, 'c', ${at} FROM ${rows};
    INSERT INTO approvals (id, state, resource_id, user_id, client_id, grant_id, txn, call_digest, method, url, detail, reason,
      created_at, expires_at, interval_seconds)
      SELECT ${id}, 'expired', ${id}, ${id}, 'authz-cli', ${id}, 't', 'd', 'GET', '', '{"type":"t"}', 'r', ${at}, ${at}, 5
      FROM ${rows};
    INSERT INTO rule_uses SELECT ${id}, ${id}, ${hash}, ${id}, ${at}, 1 FROM ${rows};
    INSERT INTO clients (id, name, redirect_uris, source, created_at)
      SELECT s || n, 'App', '{}', s, ${at} FROM ${rows}, unnest(ARRAY['metadata_document', 'dynamic_registration']) AS s;
    INSERT INTO client_documents SELECT 'metadata_document' || n, 'h', '', null, ${at}, ${at}, ${at} FROM ${rows};
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at) SELECT ${hash}, ${id}, now(), ${at} FROM ${rows};
    INSERT INTO authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge, dpop_jkt,
      auth_time, amr, created_at, expires_at, used_at, grant_id)
      SELECT ${hash}, 'authz-cli', ${id}, '', '{}', '', '', now(), '{}', now(), ${at}, now(), ${id} FROM ${rows};
    ANALYZE`);
});
afterAll(() => database.drop());

test.each(expiredKinds)("a batch of %s finds its rows by one index, however it is planned", async (kind) => {
  const { text } = removeStatement(kind);
  for (const mode of ["custom", "generic"] as const) {
    const plan = await explain(database.url, { text, values: ["1000", "0"] }, mode);
    expect(plan.map(({ type }) => type)).not.toContain("Seq Scan");
    const [removed] = plan.flatMap(({ type, table }) => (type === "ModifyTable" ? [table] : []));
    // By a bitmap where the rows are few and wide.
    const looks = plan.filter(({ type, table }) => /^(?:Index|Bitmap Heap) /.test(type) && table === removed);
    expect(looks).toHaveLength(1);
  }
});
