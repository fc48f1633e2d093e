import { describe, expect, test } from "vitest";
import { decideRefreshToken } from "../../../src/oauth/grants/refresh-token.js";
import type { Permissions } from "../../../src/permissions/effective-scopes.js";
import type { Grant, RefreshToken, Successor } from "../../../src/store/grants.js";
import { codeOf, decisionContext, grantRecord, personRecord, secondsAgo } from "../../support/records.js";

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

function successor(change: Partial<Successor> = {}): Successor {
  return { expiresAt: secondsAgo(-900), usedAt: null, ageSeconds: 5, ...change };
}

interface Row {
  readonly name: string;
  readonly stopped?: boolean;
  readonly token?: Partial<RefreshToken>;
  readonly successor?: Successor;
  readonly grant?: Partial<Grant>;
  readonly person?: Permissions | undefined;
  readonly key?: string;
  /** `repeat`: permitted, as the same refresh again. */
  readonly kind: "permit" | "repeat" | "refuse" | "revoke";
  readonly reason?: string;
}

const used = { usedAt: secondsAgo(5) };
const bearer = { jkt: null };
const rows: readonly Row[] = [
  { name: "a fresh token", kind: "permit" },
  {
    name: "a rotated token with an unused successor",
    token: used,
    successor: successor(),
    kind: "repeat",
  },
  {
    name: "the same days later, with its key",
    token: used,
    successor: successor({ ageSeconds: 5 * 24 * 3600 }),
    kind: "repeat",
  },
  {
    name: "the same when the token itself is over, but the successor is not",
    token: { ...used, expiresAt: secondsAgo(1) },
    successor: successor(),
    kind: "repeat",
  },
  {
    name: "the same when both are over",
    token: { ...used, expiresAt: secondsAgo(1) },
    successor: successor({ expiresAt: secondsAgo(0) }),
    kind: "refuse",
    reason: "refresh_token_expired",
  },
  {
    name: "the same with another key",
    token: used,
    successor: successor(),
    key: "other",
    kind: "refuse",
    reason: "wrong_key",
  },
  {
    name: "the same of a disabled person",
    token: used,
    successor: successor(),
    person: personRecord(["authz:login"], false),
    kind: "refuse",
    reason: "user_disabled",
  },
  {
    name: "a rotated token whose successor was used",
    token: used,
    successor: successor({ usedAt: secondsAgo(1) }),
    kind: "revoke",
    reason: "refresh_token_reused",
  },
  {
    name: "without a key, a minute after the rotation",
    token: used,
    successor: successor({ ageSeconds: 60 }),
    grant: bearer,
    kind: "repeat",
  },
  {
    name: "without a key, later than that",
    token: used,
    successor: successor({ ageSeconds: 60.001 }),
    grant: bearer,
    kind: "revoke",
    reason: "refresh_token_reused",
  },
  {
    name: "without a key, when the successor was used",
    token: used,
    successor: successor({ usedAt: secondsAgo(1) }),
    grant: bearer,
    kind: "revoke",
    reason: "refresh_token_reused",
  },
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
  {
    name: "a rotated token that nothing known follows",
    token: used,
    kind: "revoke",
    reason: "refresh_token_reused",
  },
  {
    name: "the same, expired",
    token: { ...used, expiresAt: secondsAgo(1) },
    kind: "revoke",
    reason: "refresh_token_reused",
  },
  { name: "a revoked grant", grant: { revokedAt: secondsAgo(1) }, kind: "refuse", reason: "grant_revoked" },
  {
    name: "a rotated token of a revoked grant",
    token: used,
    grant: { revokedAt: secondsAgo(1) },
    kind: "refuse",
    reason: "grant_revoked",
  },
  {
    name: "an expired grant",
    grant: { expiresAt: secondsAgo(0) },
    kind: "refuse",
    reason: "grant_expired",
  },
  {
    name: "an expired token",
    token: { expiresAt: secondsAgo(0) },
    kind: "refuse",
    reason: "refresh_token_expired",
  },
  { name: "an unknown person", person: undefined, kind: "refuse", reason: "unknown_user" },
  {
    name: "a paused person",
    person: personRecord(["authz:login"], true, new Date(0)),
    kind: "refuse",
    reason: "user_paused",
  },
  { name: "what is stopped", stopped: true, kind: "refuse", reason: "stopped" },
  {
    name: "a disabled person whose app is stopped",
    person: personRecord(["authz:login"], false),
    stopped: true,
    kind: "refuse",
    reason: "user_disabled",
  },
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

function expected({ kind, reason }: Row) {
  if (kind === "refuse" || kind === "revoke") return { kind, error: { code: codeOf(reason), reason } };
  return { kind: "permit", permit: { repeated: kind === "repeat" } };
}

describe("the decision over a refresh token", () => {
  test.each(rows)("$name: $kind $reason", (row) => {
    const person = "person" in row ? row.person : personRecord();
    const { successor: next } = row;
    const situation = {
      token: token(row.token),
      successor: next,
      grant: grantRecord(row.grant),
      person,
      resource: undefined,
      stopped: row.stopped === true,
    };
    expect(decideRefreshToken(situation, decisionContext(row.key))).toMatchObject(expected(row));
  });

  test("an unknown token: refuse", () => {
    const verdict = decideRefreshToken(
      {
        token: undefined,
        successor: undefined,
        grant: undefined,
        person: undefined,
        resource: undefined,
        stopped: false,
      },
      decisionContext(),
    );
    expect(verdict).toMatchObject({ kind: "refuse", error: { reason: "unknown_refresh_token" } });
  });
});
