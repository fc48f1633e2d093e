import { describe, expect, test } from "vitest";
import { type CodeInput, decideCode } from "../../../src/oauth/grants/authorization-code.js";
import type { Permissions } from "../../../src/permissions/effective-scopes.js";
import type { AuthorizationCode } from "../../../src/store/authorization-codes.js";
import {
  client,
  codeOf,
  decisionContext,
  jkt,
  personRecord,
  secondsAgo,
  userId,
} from "../../support/records.js";

const input: CodeInput = {
  code: "c",
  redirectUri: "http://127.0.0.1:8400/callback",
  resource: undefined,
  deviceName: null,
  codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
};
const grantId = "2b8c7a64-9d1e-4f3a-b5c6-0f1e2d3c4b5a";
const used = { usedAt: secondsAgo(5), grantId };

function code(change: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    hash: Buffer.alloc(32),
    clientId: client.id,
    userId,
    redirectUri: input.redirectUri,
    resourceId: null,
    scopes: ["openid"],
    nonce: null,
    codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    dpopJkt: jkt,
    authTime: secondsAgo(60),
    amr: [],
    createdAt: secondsAgo(10),
    expiresAt: secondsAgo(-50),
    usedAt: null,
    grantId: null,
    ...change,
  };
}

interface Row {
  readonly name: string;
  readonly stopped?: boolean;
  readonly code?: Partial<AuthorizationCode> | null;
  readonly input?: Partial<CodeInput>;
  readonly person?: Permissions | undefined;
  readonly key?: string;
  readonly kind: "permit" | "refuse" | "revoke";
  readonly reason?: string;
}

const rows: readonly Row[] = [
  { name: "a fresh code", kind: "permit" },
  { name: "an unknown code", code: null, kind: "refuse", reason: "unknown_code" },
  { name: "a code of another client", code: { clientId: "other" }, kind: "refuse", reason: "foreign_client" },
  {
    name: "a used code of another client",
    code: { clientId: "other", ...used },
    kind: "refuse",
    reason: "foreign_client",
  },
  { name: "a used code", code: used, kind: "revoke", reason: "code_reused" },
  {
    name: "a used code with another verifier",
    code: used,
    input: { codeVerifier: "x".repeat(43) },
    kind: "refuse",
    reason: "wrong_code_verifier",
  },
  {
    name: "a used code with another redirect URI",
    code: used,
    input: { redirectUri: "http://127.0.0.1:8401/callback" },
    kind: "refuse",
    reason: "wrong_redirect_uri",
  },
  { name: "a used code with another key", code: used, key: "other", kind: "refuse", reason: "wrong_key" },
  {
    name: "a used and expired code",
    code: { ...used, expiresAt: secondsAgo(1) },
    kind: "revoke",
    reason: "code_reused",
  },
  {
    name: "a used code whose grant is gone",
    code: { ...used, grantId: null },
    kind: "refuse",
    reason: "code_reused",
  },
  { name: "an expired code", code: { expiresAt: secondsAgo(0) }, kind: "refuse", reason: "code_expired" },
  {
    name: "another redirect URI",
    input: { redirectUri: "http://127.0.0.1:8401/callback" },
    kind: "refuse",
    reason: "wrong_redirect_uri",
  },
  {
    name: "another verifier",
    input: { codeVerifier: "x".repeat(43) },
    kind: "refuse",
    reason: "wrong_code_verifier",
  },
  { name: "another key", key: "other", kind: "refuse", reason: "wrong_key" },
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
    person: personRecord(["contracts:read"]),
    kind: "refuse",
    reason: "login_permission_missing",
  },
];

const refusal = (kind: string, reason: string) => ({ kind, error: { code: codeOf(reason), reason } });

describe("the decision over a code", () => {
  test.each(rows)("$name: $kind $reason", (row) => {
    const person = "person" in row ? row.person : personRecord();
    const found = row.code === null ? undefined : code(row.code);
    const situation = { code: found, person, resource: undefined, stopped: row.stopped === true };
    const verdict = decideCode(situation, { ...input, ...row.input }, decisionContext(row.key));
    expect(verdict).toMatchObject(
      row.reason === undefined ? { kind: row.kind } : refusal(row.kind, row.reason),
    );
  });
});
