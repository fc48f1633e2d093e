import { describe, expect, test } from "vitest";
import { decideRefreshToken } from "../../src/grants/refresh-token.js";
import type { Permissions } from "../../src/policy/effective-scopes.js";
import type { Grant } from "../../src/store/grants.js";
import type { RefreshToken } from "../../src/store/refresh-tokens.js";
import { decisionContext, grantRecord, personRecord, secondsAgo } from "../support/records.js";

function token(change: Partial<RefreshToken> = {}): RefreshToken {
  return {
    hash: Buffer.alloc(32),
    grantId: grantRecord().id,
    createdAt: secondsAgo(600),
    expiresAt: secondsAgo(-600),
    usedAt: null,
    ...change,
  };
}

interface Row {
  readonly name: string;
  readonly token?: Partial<RefreshToken>;
  readonly grant?: Partial<Grant>;
  readonly person?: Permissions | undefined;
  readonly key?: string;
  readonly kind: "permit" | "refuse" | "revoke";
  readonly reason?: string;
}

const used = { usedAt: secondsAgo(5) };
const rows: readonly Row[] = [
  { name: "a fresh token", kind: "permit" },
  {
    name: "a token of another client",
    grant: { clientId: "other" },
    kind: "refuse",
    reason: "foreign_client",
  },
  { name: "another key", key: "other", kind: "refuse", reason: "wrong_key" },
  {
    name: "a rotated token with another key",
    token: used,
    key: "other",
    kind: "refuse",
    reason: "wrong_key",
  },
  { name: "a rotated token", token: used, kind: "revoke", reason: "refresh_token_reused" },
  {
    name: "a rotated and expired token",
    token: { ...used, expiresAt: secondsAgo(1) },
    kind: "revoke",
    reason: "refresh_token_reused",
  },
  { name: "a revoked log-in", grant: { revokedAt: secondsAgo(1) }, kind: "refuse", reason: "log_in_revoked" },
  {
    name: "a rotated token of a revoked log-in",
    token: used,
    grant: { revokedAt: secondsAgo(1) },
    kind: "refuse",
    reason: "log_in_revoked",
  },
  {
    name: "an expired log-in",
    grant: { expiresAt: secondsAgo(0) },
    kind: "refuse",
    reason: "log_in_expired",
  },
  {
    name: "an expired token",
    token: { expiresAt: secondsAgo(0) },
    kind: "refuse",
    reason: "refresh_token_expired",
  },
  { name: "an unknown person", person: undefined, kind: "refuse", reason: "unknown_user" },
  {
    name: "a disabled person",
    person: personRecord(["authz:login"], false),
    kind: "refuse",
    reason: "user_disabled",
  },
  {
    name: "a person without the permission",
    person: personRecord([]),
    kind: "refuse",
    reason: "login_permission_missing",
  },
];

const refusal = (kind: string, reason: string) => ({ kind, error: { code: "invalid_grant", reason } });

describe("the decision over a refresh token", () => {
  test.each(rows)("$name: $kind $reason", (row) => {
    const person = "person" in row ? row.person : personRecord();
    const situation = { token: token(row.token), grant: grantRecord(row.grant), person };
    const verdict = decideRefreshToken(situation, decisionContext(row.key));
    expect(verdict).toMatchObject(
      row.reason === undefined ? { kind: row.kind } : refusal(row.kind, row.reason),
    );
  });

  test("an unknown token: refuse", () => {
    const verdict = decideRefreshToken(
      { token: undefined, grant: undefined, person: undefined },
      decisionContext(),
    );
    expect(verdict).toMatchObject({ kind: "refuse", error: { reason: "unknown_refresh_token" } });
  });
});
