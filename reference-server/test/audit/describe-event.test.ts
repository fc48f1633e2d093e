import { expect, test } from "vitest";
import { describeEvent } from "../../src/audit/describe-event.js";
import type { AuditRecord } from "../../src/store/audit-events.js";
import type { AuditName } from "../../src/store/audit-search.js";

const ada = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";
const resource = "https://contracts.acme.example/api";
const names = new Map<string, AuditName>([
  [ada, { id: ada, type: "user", key: null, email: "ada@acme.example", name: "Ada" }],
  ["authz-cli", { id: "authz-cli", type: "client", key: null, email: null, name: "Authz CLI" }],
  [
    "identity-provider acme",
    { id: "acme", type: "identity-provider", key: "acme", email: null, name: "Acme" },
  ],
  [
    "group-provider acme",
    { id: "acme", type: "group-provider", key: "acme", email: null, name: "Acme groups" },
  ],
  [resource, { id: resource, type: "resource", key: "contracts", email: null, name: "Contracts" }],
]);

function record(change: Partial<AuditRecord>): AuditRecord {
  return {
    id: "1",
    at: "2026-11-20T12:00:00.000000Z",
    type: "scope.created",
    version: 1,
    outcome: "success",
    actorType: "user",
    actorId: ada,
    subject: null,
    clientId: null,
    requestId: null,
    data: {},
    ...change,
  };
}

test.each([
  {
    event: {
      type: "assertion.issued",
      subject: ada,
      clientId: "authz-cli",
      data: { resource, scopes: ["contracts:read"] },
    },
    sentence: "Authz CLI got an identity assertion for ada@acme.example at Contracts: contracts:read.",
  },
  {
    event: {
      type: "token.issued",
      subject: ada,
      clientId: "authz-cli",
      data: { grantType: "refresh_token", scopes: ["openid"], repeated: true },
    },
    sentence: "Authz CLI got tokens for ada@acme.example by the same refresh again: openid.",
  },
  {
    event: {
      type: "token.refused",
      clientId: "authz-cli",
      data: { grantType: "refresh_token", error: "invalid_grant", reason: "refresh_token_reused" },
    },
    sentence: "Authz CLI was refused by a refresh: refresh token reused.",
  },
  {
    event: {
      type: "token.refused",
      clientId: "authz-cli",
      data: {
        grantType: "refresh_token",
        error: "invalid_scope",
        reason: "scope_not_assigned",
        resource,
        scopes: ["contracts:write"],
      },
    },
    sentence: "Authz CLI was refused by a refresh for contracts:write at Contracts: scope not assigned.",
  },
  {
    event: { type: "assignment.created", data: { email: "bob@acme.example", scope: "contracts:read" } },
    sentence: "ada@acme.example gave contracts:read to bob@acme.example.",
  },
  {
    event: {
      type: "assignment.removed",
      actorType: "operator",
      actorId: null,
      data: { group: { provider: "acme", key: "sales" }, scope: "contracts:read" },
    },
    sentence: "An operator at the command line took contracts:read away from the group sales of Acme groups.",
  },
  {
    event: { type: "sign_in.completed", subject: ada, data: { provider: "acme" } },
    sentence: "ada@acme.example signed in at Acme.",
  },
  {
    event: { type: "sign_in.refused", data: { provider: "removed", reason: "email_domain" } },
    sentence: "A sign-in at removed was refused: email domain.",
  },
  {
    event: {
      type: "groups.changed",
      subject: ada,
      data: { groupProvider: "acme", added: ["a"], removed: [] },
    },
    sentence: "At a sign-in Acme groups named other groups for ada@acme.example: a added.",
  },
  {
    event: { type: "installation.changed", data: { name: { from: "Authz", to: "Acme" } } },
    sentence: "ada@acme.example changed the installation: name.",
  },
  {
    event: { type: "comet.observed", data: {} },
    sentence: "comet.observed: an event that this version does not know.",
  },
] as const)("says: $sentence", ({ event, sentence }) => {
  expect(describeEvent(record(event as Partial<AuditRecord>), names)).toBe(sentence);
});
