import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeEvent } from "../../src/audit/describe-event.js";
import type { AuditEventData, ObjectEventData } from "../../src/audit/events.js";
import type { AuditRecord } from "../../src/store/audit-events.js";
import type { AuditName } from "../../src/store/audit-search.js";
import { languages, textsIn } from "../../src/text/texts.js";

const ada = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";
const resource = "https://contracts.acme.example/api";
const claude = "https://claude.ai/oauth/claude-code-client-metadata";
const names = new Map<string, AuditName>([
  [claude, { id: claude, type: "client", key: null, email: null, name: "Claude Code", host: "claude.ai" }],
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
    sentence: "ada@acme.example through Authz CLI got access to Contracts: contracts:read.",
  },
  {
    event: {
      type: "assertion.issued",
      subject: ada,
      clientId: claude,
      data: { resource, scopes: ["contracts:read"] },
    },
    sentence: "ada@acme.example through Claude Code (claude.ai) got access to Contracts: contracts:read.",
  },
  {
    event: {
      type: "token.issued",
      subject: ada,
      clientId: claude,
      data: { grantType: "authorization_code", resource, scopes: ["contracts:read"] },
    },
    sentence:
      "ada@acme.example through Claude Code (claude.ai) got access to Contracts by a sign-in in the browser: contracts:read.",
  },
  {
    event: {
      type: "token.issued",
      subject: ada,
      clientId: claude,
      data: {
        grantType: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        resource,
        provider: "acme",
        scopes: ["contracts:read"],
      },
    },
    sentence:
      "ada@acme.example through Claude Code (claude.ai) got access to Contracts by an identity assertion of Acme: contracts:read.",
  },
  {
    event: {
      type: "consent.given",
      subject: ada,
      clientId: claude,
      data: { resource, scopes: ["contracts:read"], remembered: true },
    },
    sentence:
      "ada@acme.example had allowed Claude Code (claude.ai) these permissions at Contracts before, and was not asked again: contracts:read.",
  },
  {
    event: {
      type: "connection.created",
      subject: ada,
      clientId: claude,
      data: { connector: "github", scopes: ["repo"] },
    },
    sentence: "ada@acme.example through Claude Code (claude.ai) connected an account at github: repo.",
  },
  {
    event: { type: "connection.created", subject: ada, data: { connector: "github", scopes: ["repo"] } },
    sentence: "ada@acme.example connected an account at github: repo.",
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
    sentence:
      "Authz CLI asked for tokens by a refresh and was refused: the refresh token was used a second time.",
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
    sentence:
      "Authz CLI asked for contracts:write at Contracts by a refresh and was refused: the permission is not assigned.",
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
    sentence: "An operator on the command line took contracts:read away from the group sales of Acme groups.",
  },
  {
    event: { type: "sign_in.completed", subject: ada, data: { provider: "acme" } },
    sentence: "ada@acme.example signed in with Acme.",
  },
  {
    event: { type: "sign_in.refused", data: { provider: "removed", reason: "email_domain" } },
    sentence: "A sign-in with removed was refused: the email domain is not allowed.",
  },
  {
    event: {
      type: "groups.changed",
      subject: ada,
      data: { groupProvider: "acme", added: ["a"], removed: [] },
    },
    sentence:
      "At a sign-in, Acme groups named other groups for ada@acme.example. Added: a. Removed: nothing.",
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
  expect(describeEvent(record(event as Partial<AuditRecord>), names, textsIn("en"))).toBe(sentence);
});

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const scopes = ["contracts:read"];
const approval = {
  approval: ada,
  resource,
  detail: "contract_deletion",
  method: "DELETE",
  txn: `${ada}.${digest}`,
};
const connection = { connector: "google", connectionId: ada };

type ListedType = Exclude<keyof AuditEventData, keyof ObjectEventData>;

/** One event of each listed type, with everything that a sentence can name. */
const listedExamples: { readonly [Type in ListedType]: AuditEventData[Type] } = {
  "defaults.created": { records: ["authz-cli"] },
  "installation.completed": { by: "browser" },
  "installation.changed": { name: { from: "Authz", to: "Acme" } },
  "installation.restored": {
    before: "2026-11-20",
    ended: { grants: 2, browserSessions: 1 },
    retiredKeys: [],
  },
  "provider.created": { key: "acme", issuer: "https://idp.acme.example" },
  "provider.test_started": { key: "acme", test: ada, changes: true },
  "provider.tested": { key: "acme", test: ada, changes: false, fault: "email_missing" },
  "provider.test_skipped": { key: "acme" },
  "connector.tested": { key: "google", verdict: "refused", answer: "invalid_client" },
  "provider.removed": { key: "acme", issuer: "https://idp.acme.example" },
  "client.created": { id: "billing", type: "machine" },
  "client.changed": { id: "billing", fields: ["name"] },
  "client.removed": { id: "billing", type: "public" },
  "client.registered": { source: "metadata_document", name: "Claude Code", redirectUris: [] },
  "client_document.changed": { fields: ["redirectUris"] },
  "client_document.refused": { host: "apps.example", reason: "document_secret" },
  "app_host.changed": { host: "apps.example", allowed: { from: null, to: true } },
  "app_host.asked": { host: "apps.example" },
  "resource.created": { key: "contracts", resource },
  "resource.removed": { key: "contracts", resource },
  "group_provider.created": { key: "acme", source: "claim" },
  "connector.created": { key: "google", kind: "google" },
  "connector.changed": { key: "google", fields: ["clientId"], reconnect: 2 },
  "rules.changed": { resource: "contracts", rules: 3, added: 2, removed: 1 },
  "connector.removed": { key: "google", kind: "google" },
  "connector.disconnected": { key: "google", connections: 1 },
  "connector_key.rewrapped": { keyId: "2", connectors: 1, connections: 1234 },
  "credential_key.resealed": { keyId: "2", secrets: 3 },
  "connection.created": { ...connection, scopes },
  "connection.reconnected": { ...connection, scopes },
  "connection.refused": { connector: "google", reason: "cancelled" },
  "connection.refreshed": { ...connection, scopes },
  "connection.reconnect_required": { ...connection, reason: "rotation_lost" },
  "connection.removed": { ...connection, revocation: "unconfirmed" },
  "connection.used": {
    ...connection,
    method: "GET",
    host: "www.googleapis.com",
    pathTemplate: "/drive/v3/files",
    status: 200,
    durationMs: 80,
    requestBytes: 0,
    responseBytes: 512,
  },
  "connection.denied": {
    connector: "google",
    reason: "target_not_covered",
    method: "GET",
    host: "evil.example",
  },
  "service.called": {
    resource: "contracts",
    grantId: ada,
    method: "GET",
    host: "contracts.acme.example",
    pathTemplate: "/contracts/{…}",
    status: null,
    durationMs: null,
    requestBytes: null,
    responseBytes: null,
  },
  "service.call_denied": {
    grantId: ada,
    reason: "unknown_service",
    method: "GET",
    host: "evil.example",
  },
  "user.linked": { provider: "acme", account: "00u1" },
  "person.ended": {
    cause: "scim",
    provider: "acme",
    sessions: 1,
    grants: 2,
    unused: 0,
    requests: 0,
    connections: 1,
  },
  "person.paused": { cause: "signal", provider: "acme", event: "credential-change", sessions: 1 },
  "person.resumed": { cause: "presence", provider: "acme", event: "presence_refused" },
  "presence.unanswered": { provider: "acme", reason: "answer_lost", until: "2026-11-23T12:00:00.000Z" },
  "presence.identity_changed": { provider: "acme", fields: ["email"] },
  "presence.alarm_raised": { provider: "acme", reason: "refused_wave" },
  "presence.alarm_ended": { provider: "acme", reason: "client_refused" },
  "stop.set": { kind: "service", resource: "https://contracts.acme.example" },
  "stop.lifted": { kind: "all" },
  "user.changed": { enabled: { from: true, to: false } },
  "user.provisioned": { provider: "acme", account: ada, known: null, active: true },
  "user.updated": { provider: "acme", account: ada, fields: ["displayName", "active"] },
  "user.deprovisioned": { provider: "acme", account: ada },
  "user.kept": { provider: "acme", account: ada },
  "group.created": { provider: "acme", group: ada, name: "Sales" },
  "group.renamed": { provider: "acme", group: ada, name: { from: "Sales", to: "Field sales" } },
  "group.removed": { provider: "acme", group: ada, name: "Sales" },
  "group.changed": { provider: "acme", group: ada, name: "Sales", added: [ada], removed: [] },
  "provisioning_credential.created": { provider: "acme", credential: ada },
  "provisioning_credential.removed": { provider: "acme", credential: ada },
  "skill.created": { id: "sign-contracts" },
  "skill.changed": { id: "sign-contracts", fields: ["content"] },
  "skill.removed": { id: "sign-contracts" },
  "catalog.refreshed": { resource, skills: 1, failure: null },
  "access.requested": { request: ada, kind: "service", target: "contracts", scopes },
  "access.approved": { request: ada, kind: "service", target: "contracts", scopes },
  "access.declined": { request: ada, kind: "connector", target: "google", scopes },
  "access.withdrawn": { request: ada, kind: "service", target: "contracts", scopes },
  "approval.asked": approval,
  "approval.approved": approval,
  "approval.declined": approval,
  "approval.withdrawn": approval,
  "approval.expired": approval,
  "approval.collected": { ...approval, grantId: ada, tokenId: ada, scopes, jkt: null },
  "approval.used": { ...approval, grantId: ada },
  "approval.refused": { grantId: ada, resource, error: "access_denied", reason: "app_muted" },
  "notification.failed": {
    event: "access.requested",
    channel: "mail",
    recipient: "bob@acme.example",
    cause: "smtp_550",
    attempts: 1,
  },
  "assignment.created": { group: { provider: "acme", key: "sales" }, scope: "contracts:read" },
  "assignment.removed": { email: "bob@acme.example", scope: "contracts:read" },
  "assignment.expiring": {
    email: "bob@acme.example",
    scope: "contracts:read",
    expiresAt: "2026-11-23T12:00:00.000Z",
  },
  "assignment.expired": { group: { provider: "acme", key: "sales" }, scope: "contracts:read" },
  "signing_key.staged": { kid: "k2", source: "generated" },
  "signing_key.scheduled": { kid: "k2", activatesAt: "2026-11-20T12:15:00Z" },
  "signing_key.activated": { kid: "k2", replaced: "k1", emergency: true },
  "signing_key.retired": { kid: "k1", publishedUntil: "2026-11-21T12:00:00Z", emergency: false },
  "sign_in.completed": { provider: "acme", sessionId: ada, amr: [] },
  "sign_in.refused": { provider: "acme", reason: "email_domain" },
  "logout.received": { provider: "acme", session: true },
  "logout.refused": { provider: "acme", reason: "signal_replayed" },
  "signal.received": {
    stream: "acme",
    event: "identifier-changed",
    effect: "nothing",
    issuedAt: "2026-11-20T11:59:58.000Z",
    newValue: "ada.lovelace@acme.example",
  },
  "signal.refused": { stream: "acme", reason: "signal_audience" },
  "signal.unknown_subject": { stream: "acme", event: "account-disabled", format: "iss_sub" },
  "signal_stream.tested": { key: "acme" },
  "signal_stream.credential_replaced": { key: "acme" },
  "session.ended": { sessionId: ada },
  "groups.changed": { groupProvider: "acme", added: ["sales", "legal"], removed: [] },
  "owners.changed": { kind: "service", target: "contracts", added: ["acme:legal"], removed: [] },
  "proposal.created": { proposal: ada, skill: "sign-contracts", action: "change" },
  "proposal.approved": { proposal: ada, skill: "sign-contracts", action: "remove" },
  "proposal.declined": { proposal: ada, skill: "sign-contracts", action: "create" },
  "proposal.withdrawn": { proposal: ada, skill: "sign-contracts", action: "change" },
  "authorization.refused": { error: "access_denied", reason: "login_permission_missing" },
  "consent.given": { scopes: ["openid"], jkt: null },
  "consent.refused": { scopes: ["openid"], jkt: null },
  "token.issued": { grantType: "authorization_code", grantId: ada, tokenId: ada, scopes, jkt: null },
  "token.refused": {
    grantType: "refresh_token",
    grantId: null,
    error: "invalid_target",
    reason: "unknown_resource",
    resource,
  },
  "machine_token.issued": { tokenId: ada, resource, scopes, jkt: digest },
  "assertion.issued": { grantId: ada, tokenId: ada, resource, scopes, jkt: null },
  "grant.revoked": { grantId: ada, reason: "revoked_by_user" },
  "admin.refused": { error: "insufficient_scope", method: "POST", path: "/api/admin/v1/scopes" },
  "audit.exported": { format: "csv", search: { type: ["sign_in.refused", "token.refused"], q: "ada" } },
  "audit.removed": {
    events: 5000,
    seals: 12,
    throughEvent: "5000",
    throughSeal: 12,
    digest,
    archive: digest,
  },
  "events.counted": {
    event: "token.refused",
    count: 1,
    from: "2026-11-20T12:00:00Z",
    to: "2026-11-20T13:00:00Z",
    address: "192.0.2.1",
    reason: "code_reused",
  },
};

/** The same for the events of objects: every type that has a sentence and is not listed. */
const examples: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    typesWithSentence().map((type) => [
      type,
      { key: "contracts", ...(type.endsWith(".changed") && { fields: ["name"] }) },
    ]),
  ),
  ...listedExamples,
};

function typesWithSentence(): string[] {
  const areas = new URL("../../locales/en/areas/", import.meta.url);
  return readdirSync(areas).flatMap((file) => {
    const { audit } = JSON.parse(readFileSync(new URL(file, areas), "utf8")) as {
      readonly audit?: { readonly events?: Readonly<Record<string, object>> };
    };
    return Object.entries(audit?.events ?? {}).flatMap(([object, acts]) =>
      Object.keys(acts).map((act) => `${object}.${act}`),
    );
  });
}

test("an event that is not listed is one of an object that was created, changed or removed", () => {
  const others = Object.keys(examples).filter((type) => !(type in listedExamples));
  expect(others.filter((type) => !/\.(?:created|changed|removed)$/.test(type))).toEqual([]);
});

describe.each(languages)("in %s", (language) => {
  test.each(Object.entries(examples))("a sentence names nothing that %s does not have", (type, data) => {
    const event = record({ type, data: { ...data }, subject: ada, clientId: "authz-cli" });
    const sentence = describeEvent(event, names, textsIn(language));
    expect(sentence).not.toMatch(/\bnone\b|NaN|undefined/);
  });

  test.each(Object.keys(examples))("an old row of %s that lacks members still has one", (type) => {
    expect(describeEvent(record({ type }), names, textsIn(language))).not.toBe("");
  });
});

test("German chooses and counts like German", () => {
  const say = (type: keyof AuditEventData, change: Partial<AuditRecord> = {}) =>
    describeEvent(record({ type, data: { ...examples[type] }, ...change }), names, textsIn("de"));
  expect(say("connector.changed")).toBe(
    "ada@acme.example hat den Konnektor google geändert: clientId. 2 Konten müssen neu verbunden werden.",
  );
  expect(say("assignment.removed")).toBe("ada@acme.example hat bob@acme.example contracts:read entzogen.");
  expect(say("sign_in.completed")).toBe("Jemand hat sich mit Acme angemeldet.");
  expect(say("audit.exported")).toBe(
    "ada@acme.example hat Ereignisse des Audit-Protokolls (type sign_in.refused oder token.refused, q ada) als CSV exportiert.",
  );
});
