import type { AdminAuditEvent } from "@admin/audit";
import { describe, expect, test } from "vitest";
import { auditEventVersions } from "../../../src/audit/events.js";
import { connectErrorCodes } from "../../../src/connectors/connect/connect-error.js";
import type { TargetReason } from "../../../src/connectors/use/target.js";
import { sentenceOf } from "../../src/messages/de/audit-sentences";
import { de } from "../../src/messages/de/audit";
import { en } from "../../src/messages/en/audit";

const refused: AdminAuditEvent = {
  id: "1",
  at: "2026-11-20T12:00:00.000000Z",
  type: "token.refused",
  version: 1,
  outcome: "denied",
  description: "Authz CLI was refused.",
  actor: { type: "client", id: "authz-cli", email: null, name: "Authz CLI" },
  subject: { id: "1", email: "ada@acme.example", name: "Ada" },
  client: { id: "authz-cli", name: "Authz CLI" },
  requestId: null,
  data: {
    grantType: "refresh_token",
    error: "invalid_scope",
    reason: "scope_not_assigned",
    resource: "https://contracts.acme.example/api",
    scopes: ["contracts:write"],
  },
  links: [{ type: "resource", id: "contracts", name: "Contracts" }],
};

describe.each(Object.keys(auditEventVersions))("an event %s", (type) => {
  test("has a name in both languages, and a German sentence", () => {
    expect(en.types[type]).toMatch(/^[A-Z]/);
    expect(de.types[type]).toMatch(/^[A-ZÄÖÜ]/);
    expect(sentenceOf({ ...refused, type })).toMatch(/[.:]/);
  });
});

test("what was asked for is in the sentence when the event says so", () => {
  expect(sentenceOf(refused)).toBe(
    "Authz CLI wurde beim Erneuern abgelehnt, gewünscht war contracts:write bei Contracts: der Scope ist nicht zugewiesen.",
  );
  const { resource: _resource, scopes: _scopes, ...data } = refused.data;
  expect(sentenceOf({ ...refused, data })).toBe(
    "Authz CLI wurde beim Erneuern abgelehnt: der Scope ist nicht zugewiesen.",
  );
});

const targetReasons: Readonly<Record<TargetReason, true>> = {
  missing: true,
  several: true,
  too_long: true,
  characters: true,
  not_absolute: true,
  scheme: true,
  user_information: true,
  fragment: true,
  host: true,
  path_encoding: true,
  path_segments: true,
  not_covered: true,
};

test.each([...connectErrorCodes, ...Object.keys(targetReasons).map((reason) => `target_${reason}`)])(
  "%s, why an account was not connected or a request not sent, is said in German",
  (reason) => {
    const type = reason.startsWith("target_") ? "connection.denied" : "connection.refused";
    const sentence = sentenceOf({ ...refused, type, data: { connector: "google", reason } });
    expect(sentence).toMatch(/: .+\.$/);
    expect(sentence).not.toContain(reason.replaceAll("_", " "));
  },
);

test("a provider has its name, and its key when it is gone", () => {
  const signIn = { ...refused, type: "sign_in.completed", data: { provider: "acme" } };
  const link = { type: "identity-provider", id: "acme" } as const;
  expect(sentenceOf({ ...signIn, links: [{ ...link, name: "Acme" }] })).toBe(
    "ada@acme.example hat sich bei Acme angemeldet.",
  );
  expect(sentenceOf({ ...signIn, links: [{ ...link, name: null }] })).toBe(
    "ada@acme.example hat sich bei acme angemeldet.",
  );
});

test("a type that this console does not know is left to the server", () => {
  expect(sentenceOf({ ...refused, type: "moon.landed" })).toBeUndefined();
  expect(en.sentence(refused)).toBeUndefined();
});
