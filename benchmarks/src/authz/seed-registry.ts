import { builtInClient } from "authz-server/dist/registry/default-records.js";
import { systemScopes } from "authz-server/dist/store/system-scopes.js";
import type { Client } from "pg";

/** How much an installation holds. */
export interface Extent {
  readonly users: number;
  readonly resources: number;
  readonly assignments: number;
  readonly sessions: number;
  readonly grants: number;
  /** Stored in the audit trail before the server starts. */
  readonly events: number;
  /** The newest of them, which the server seals and indexes by itself. */
  readonly unsealed: number;
}

export const fullExtent: Extent = {
  users: 10_000,
  resources: 2_000,
  assignments: 100_000,
  sessions: 20_000,
  grants: 50_000,
  events: 5_000_000,
  unsealed: 10_000,
};

/** As many rows as are scrolled through, and little else: filled in seconds. */
export const framesExtent: Extent = {
  users: 10_000,
  resources: 20,
  assignments: 100_000,
  sessions: 100,
  grants: 100,
  events: 2_000,
  unsealed: 1_000,
};

/** A tenth, and fewer events: filled in a minute. */
export const quickExtent: Extent = {
  users: 1_000,
  resources: 200,
  assignments: 10_000,
  sessions: 2_000,
  grants: 5_000,
  events: 100_000,
  unsealed: 10_000,
};

/** One in five assignments is of a group. */
const groupShare = 5;
const scopeCount = 500;
const groupCount = 1_000;
const providerCount = 5;

/** A UUID that says what it is of and its number, so that rows find each other without a join. */
export function idSql(kind: "users" | "resources" | "providers" | "grants", number: string): string {
  const prefix = { users: "1", resources: "2", providers: "3", grants: "4" }[kind];
  return `('${prefix}0000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
}

/** The same one. */
export function uuidOf(kind: "users" | "grants", number: number): string {
  return `${{ users: "1", grants: "4" }[kind]}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

const hash = (number: string, seed: number) => `(hashint8extended(${number}, ${seed}) & 2147483647)`;

/**
 * People with their sessions, grants and groups, services with their scopes and catalogs, assignments, machine clients
 * and skills: one statement for each table. Triggers run as they do in an installation.
 */
export async function seedRegistry(database: Client, extent: Extent): Promise<void> {
  // The server's own records, so that its audit trail begins with the first seeded event.
  await database.query(
    "INSERT INTO scopes (key, description, system) SELECT key, description, true FROM jsonb_to_recordset($1) AS s (key text, description text)",
    [JSON.stringify(systemScopes)],
  );
  const { id, name, redirectUris, grantTypes } = builtInClient;
  await database.query(
    "INSERT INTO clients (id, name, redirect_uris, grant_types, built_in) VALUES ($1, $2, $3, $4, true)",
    [id, name, redirectUris, grantTypes],
  );
  await database.query("INSERT INTO settings (installation_name, installed_at) VALUES ('Acme', now())");
  for (const statement of [...recordsOf(extent), ...peopleOf(extent)]) {
    await database.query(statement);
  }
}

const provider = (number: string) => idSql("providers", `${number} % ${providerCount} + 1`);

/** Providers, users, services, machine clients and skills. */
function recordsOf({ users, resources }: Extent): readonly string[] {
  return [
    `INSERT INTO identity_providers (id, key, name, issuer, client_id, token_endpoint_auth_method, scopes, allowed_email_domains)
      SELECT ${idSql("providers", "n")}, 'p' || n, 'Provider ' || n, 'https://idp' || n || '.example', 'authz', 'none',
        '{openid,email,groups}', '{acme.example}' FROM generate_series(1, ${providerCount}) n`,
    `INSERT INTO group_providers (id, key, name, type, identity_provider_id)
      SELECT ${idSql("providers", "n")}, 'g' || n, 'Groups ' || n, 'claim', ${idSql("providers", "n")}
      FROM generate_series(1, ${providerCount}) n`,
    `INSERT INTO users (id, email, name, enabled, last_signed_in_at, created_at)
      SELECT ${idSql("users", "n")}, 'person' || n || '@acme.example',
        (ARRAY['Ada','Grace','Alan','Edsger','Barbara','Donald','Frances','John','Radia','Tony'])[n % 10 + 1] || ' Family' || n % 500,
        n % 50 <> 0, CASE n % 7 WHEN 0 THEN NULL ELSE now() - ${hash("n", 1)} % 90 * interval '1 day' END,
        now() - n * interval '1 hour' FROM generate_series(1, ${users}) n`,
    `INSERT INTO user_identities (provider_id, subject, user_id)
      SELECT ${provider("n")}, 'subject-' || n, ${idSql("users", "n")} FROM generate_series(1, ${users}) n`,
    `INSERT INTO scopes (key, description, created_at)
      SELECT 'area-' || n || CASE n % 2 WHEN 0 THEN ':read' ELSE ':write' END, 'Work in area ' || n, now() - n * interval '1 minute'
      FROM generate_series(1, ${scopeCount}) n`,
    `INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes, covers,
        skill_discovery, enabled, created_at)
      SELECT ${idSql("resources", "n")}, 'service-' || n, (ARRAY['Contracts','Invoices','Travel','Orders'])[n % 4 + 1] || ' ' || n,
        'https://service' || n || '.example/api', 'https://service' || n || '.example', 'authz-cli',
        ARRAY['https://service' || n || '.example/api'], ARRAY['https://service' || n || '.example/api'], n % 2 = 0, n % 40 <> 0, now() - n * interval '1 minute'
      FROM generate_series(1, ${resources}) n`,
    `INSERT INTO resource_scopes (resource_id, scope_key)
      SELECT DISTINCT ${idSql("resources", "n")}, s.key FROM generate_series(1, ${resources}) n, generate_series(0, 3) k,
        LATERAL (SELECT (n * 7 + k * 31) % ${scopeCount} + 1 AS number) AS chosen,
        LATERAL (SELECT 'area-' || number || CASE number % 2 WHEN 0 THEN ':read' ELSE ':write' END AS key) AS s`,
    `INSERT INTO skill_catalogs (resource_id, skills, fetched_at, attempted_at, refresh_at, failure)
      SELECT ${idSql("resources", "n")}, 3,
        CASE WHEN n % 3 = 0 THEN now() - interval '3 days' ELSE now() END, now(), now() + interval '20 days',
        CASE WHEN n % 3 = 0 THEN 'The service did not answer within 10 seconds.' END
      FROM generate_series(2, ${resources}, 2) n`,
    `INSERT INTO catalog_skills (resource_id, id, position, title, required_scopes, visibility, content)
      SELECT ${idSql("resources", "n")}, 'skill-' || k, k, 'Skill ' || k, '{}', 'DEFAULT', repeat('Instructions. ', 50)
      FROM generate_series(2, ${resources}, 2) n, generate_series(1, 3) k`,
    `INSERT INTO clients (id, name, redirect_uris, grant_types, type, keys)
      SELECT 'client-' || n, 'Nightly job ' || n, '{}', '{client_credentials}', 'machine', jsonb_build_array(jsonb_build_object('kid', 'k' || n,
        'publicJwk', '{"kty":"EC","crv":"P-256","x":"Omk05W8sEkkbgWnG_xd24fH6S_jtpwOAzcT6Ew1XCHQ","y":"Z2sJQTWlI1zn8sK_uMgUGo5z5-z5y2jZhOy1dEMFBy0"}'::jsonb))
      FROM generate_series(1, 200) n`,
    `INSERT INTO machine_scopes (client_id, scope_key)
      SELECT 'client-' || n, s.key FROM generate_series(1, 200) n, LATERAL (SELECT key FROM scopes WHERE NOT system
        ORDER BY key OFFSET n LIMIT 2) AS s`,
    `INSERT INTO skills (id, title, description, tags, visibility, content, updated_at)
      SELECT 'skill-' || n, 'Way of working ' || n, 'When somebody asks for way ' || n, '{company}',
        CASE n % 2 WHEN 0 THEN 'DEFAULT' ELSE 'HIDDEN_IF_UNALLOWED' END, repeat('Instructions. ', 200),
        now() - n * interval '1 hour' FROM generate_series(1, 200) n`,
    `INSERT INTO skill_scopes (skill_id, scope_key)
      SELECT 'skill-' || n, s.key FROM generate_series(1, 200) n JOIN scopes s ON s.key = 'area-' || n * 2 || ':read'
      WHERE n % 3 <> 0`,
    `INSERT INTO skill_reads (hour, skill_id, count)
      SELECT current_date - d, 'installation.skill-' || n, n * 3 + d FROM generate_series(1, 200) n, generate_series(0, 59) d`,
  ];
}

/** What people have: sessions, grants, assignments and groups. */
function peopleOf({ users, sessions, grants, assignments }: Extent): readonly string[] {
  const ofGroups = assignments / groupShare;
  const perPerson = Math.ceil((assignments - ofGroups) / users);
  const perGroup = Math.ceil(ofGroups / groupCount);
  const until = "now() + interval '30 days'";
  return [
    `INSERT INTO browser_sessions (id, token_hash, user_id, provider_id, auth_time, amr, signed_in_at, expires_at, user_agent)
      SELECT gen_random_uuid(), sha256(n::text::bytea), ${idSql("users", `n % ${users} + 1`)}, ${provider("n")}, now(), '{pwd}',
        now() - n * interval '1 second', ${until}, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36'
      FROM generate_series(1, ${sessions}) n`,
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at, revoked_at, revocation_reason)
      SELECT ${idSql("grants", "n")}, ${idSql("users", `n % ${users} + 1`)}, 'authz-cli',
        left(translate(encode(sha256(n::text::bytea), 'base64'), '+/', '-_'), 43), '{openid,offline_access,authz:login}',
        now(), '{pwd}', now() - n * interval '1 minute', ${until}, CASE WHEN n % 5 = 0 THEN now() END,
        CASE WHEN n % 5 = 0 THEN 'revoked_by_person' END
      FROM generate_series(1, ${grants}) n`,
    `INSERT INTO assignments (id, email, scope_key, created_at)
      SELECT gen_random_uuid(), 'person' || n || '@acme.example', s.key, now() - n * interval '1 minute' - k * interval '1 second'
      FROM generate_series(1, ${users}) n, generate_series(1, ${perPerson}) k,
        LATERAL (SELECT (n * 3 + k * 61) % ${scopeCount} + 1 AS number) AS chosen,
        LATERAL (SELECT CASE k WHEN 1 THEN 'authz:login'
          ELSE 'area-' || number || CASE number % 2 WHEN 0 THEN ':read' ELSE ':write' END END AS key) AS s
      ON CONFLICT DO NOTHING`,
    `INSERT INTO assignments (id, group_provider_id, group_key, scope_key, created_at)
      SELECT gen_random_uuid(), ${provider("n")}, 'team-' || n, s.key, now() - n * interval '1 minute' - k * interval '1 second'
      FROM generate_series(1, ${groupCount}) n, generate_series(1, ${perGroup}) k,
        LATERAL (SELECT (n * 11 + k * 23) % ${scopeCount} + 1 AS number) AS chosen,
        LATERAL (SELECT 'area-' || number || CASE number % 2 WHEN 0 THEN ':read' ELSE ':write' END AS key) AS s
      ON CONFLICT DO NOTHING`,
    `INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
      SELECT ${idSql("users", "n")}, ${provider("n")},
        ARRAY['everybody', 'office-' || n % 20, 'team-' || n % ${groupCount} + 1, 'team-' || n * 7 % ${groupCount} + 1],
        now(), ${until} FROM generate_series(1, ${users}) n`,
  ];
}
