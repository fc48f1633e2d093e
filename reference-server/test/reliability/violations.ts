import type { ObservedDatabase } from "./installation.js";
import type { Ledger } from "./load-device.js";
import { hash } from "./seed.js";

/** Each query returns one text per violation of a rule that holds at every moment, whatever has happened. */
const rules = {
  "each grant has exactly one live refresh token": `
    SELECT g.id || ' has ' || count(t.hash) FILTER (WHERE t.used_at IS NULL) AS violation
    FROM grants g LEFT JOIN refresh_tokens t ON t.grant_id = g.id
    GROUP BY g.id HAVING count(t.hash) FILTER (WHERE t.used_at IS NULL) <> 1`,
  "each grant began with one code and one event, each further token with one refresh": `
    WITH tokens AS (SELECT grant_id AS id, count(*) AS count FROM refresh_tokens GROUP BY 1),
    codes AS (SELECT grant_id AS id, count(*) AS count FROM authorization_codes WHERE grant_id IS NOT NULL GROUP BY 1),
    events AS (
      SELECT (data->>'grantId')::uuid AS id,
        count(*) FILTER (WHERE data->>'grantType' = 'authorization_code') AS begun,
        count(*) FILTER (WHERE data->>'grantType' = 'refresh_token' AND NOT data ? 'repeated') AS refreshed
      FROM audit_events WHERE type = 'token.issued' GROUP BY 1)
    SELECT concat_ws(' ', coalesce(g.id, events.id), 'codes', codes.count, 'tokens', tokens.count,
      'begun', begun, 'refreshed', refreshed) AS violation
    FROM grants g FULL JOIN events USING (id) LEFT JOIN tokens USING (id) LEFT JOIN codes USING (id)
    WHERE g.id IS NULL OR codes.count IS DISTINCT FROM 1 OR begun IS DISTINCT FROM 1
      OR tokens.count IS DISTINCT FROM 1 + refreshed`,
  "a code is used exactly when it has a grant": `
    SELECT encode(hash, 'hex') AS violation FROM authorization_codes
    WHERE (used_at IS NULL) <> (grant_id IS NULL)`,
  "a grant is revoked exactly when one event says so": `
    SELECT g.id || ' ' || count(e.id) AS violation FROM grants g
    LEFT JOIN audit_events e ON e.type = 'grant.revoked' AND e.data->>'grantId' = g.id::text
    GROUP BY g.id HAVING count(e.id) <> CASE WHEN g.revoked_at IS NULL THEN 0 ELSE 1 END`,
  "each token has one event": `
    SELECT data->>'tokenId' AS violation FROM audit_events WHERE type IN ('token.issued', 'assertion.issued')
    GROUP BY 1 HAVING count(*) <> 1`,
  "a code was issued for each consent": `
    SELECT 'consents ' || given || ' codes ' || issued AS violation FROM
      (SELECT count(*) AS given FROM audit_events WHERE type = 'consent.given') AS consents,
      (SELECT count(*) AS issued FROM authorization_codes c JOIN users u ON u.id = c.user_id
        WHERE u.name <> 'Seeded') AS codes
    WHERE given <> issued`,
} as const;

/**
 * Each accepted proof belongs to one issuance, or to one recognised reuse. Only right after the fact: accepted proofs
 * are removed after some minutes.
 */
const proofRule = `
  SELECT 'proofs ' || proofs || ' uses ' || uses AS violation FROM
    (SELECT count(*) AS proofs FROM dpop_replays) AS p,
    (SELECT count(*) AS uses FROM audit_events WHERE type IN ('token.issued', 'assertion.issued')
      OR type = 'token.refused' AND data->>'reason' IN ('code_reused', 'refresh_token_reused')) AS u
  WHERE proofs <> uses`;

/** Looks for anything lost, doubled or half-done; with a ledger also for what a client was told. */
export async function findViolations(
  database: ObservedDatabase,
  ledger?: Ledger,
  { proofs = true }: { readonly proofs?: boolean } = {},
): Promise<string[]> {
  const found: string[] = [];
  const checked = Object.entries(proofs ? { ...rules, "each proof was used once": proofRule } : rules);
  for (const [rule, text] of checked) {
    const rows = await database.query<{ violation: string }>(text);
    found.push(...rows.map(({ violation }) => `${rule}: ${violation}`));
  }
  return ledger === undefined ? found : [...found, ...(await compareWithLedger(database, ledger))];
}

async function compareWithLedger(database: ObservedDatabase, ledger: Ledger): Promise<string[]> {
  const { successes, unclear, surprises } = ledger;
  const found = [...surprises];
  const tokenIds = successes.map(({ tokenId }) => tokenId);
  const missingEvents = await database.query<{ id: string }>(
    `SELECT id FROM unnest($1::text[]) AS seen (id) WHERE id NOT IN (
       SELECT data->>'tokenId' FROM audit_events WHERE type IN ('token.issued', 'assertion.issued'))`,
    [tokenIds],
  );
  found.push(...missingEvents.map(({ id }) => `a client has token ${id}, which no event knows`));
  const hashes = successes.flatMap(({ refreshToken }) =>
    refreshToken === undefined ? [] : [hash(refreshToken)],
  );
  const missingTokens = await database.query<{ hash: string }>(
    `SELECT encode(hash, 'hex') AS hash FROM unnest($1::bytea[]) AS seen (hash)
     WHERE hash NOT IN (SELECT hash FROM refresh_tokens)`,
    [hashes],
  );
  found.push(
    ...missingTokens.map(({ hash: text }) => `a client has refresh token ${text}, which is not stored`),
  );
  const [issued] = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM audit_events
     WHERE type IN ('token.issued', 'assertion.issued') AND data->>'jkt' = ANY ($1)`,
    [[...ledger.keys]],
  );
  const unseen = (issued?.count ?? 0) - successes.length;
  if (unseen < 0 || unseen > unclear)
    found.push(`${unseen} answers were not seen, with ${unclear} unclear ones`);
  const revoked = await database.query<{ id: string }>("SELECT id FROM grants WHERE revoked_at IS NOT NULL");
  const known = new Set(successes.map(({ grantId }) => grantId));
  found.push(
    ...revoked
      .filter(({ id }) => known.has(id))
      .map(({ id }) => `grant ${id} was revoked although its client did nothing wrong`),
  );
  return found;
}
