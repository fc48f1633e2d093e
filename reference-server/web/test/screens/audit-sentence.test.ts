import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AdminAuditEvent } from "@admin/audit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connectErrorCodes } from "../../../src/connectors/connect/connect-error.js";
import type { TargetReason } from "../../../src/connectors/use/target.js";
import { type BuiltTexts, buildTexts } from "../text/build-texts";
import { languages, locales, messagesIn, valuesOf } from "../text/catalogues";

/** The server's own catalogue has a sentence for each type, or the server does not compile. */
const serverWords = JSON.parse(readFileSync(new URL("en/audit.json", locales), "utf8")) as {
  readonly events: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const eventTypes = Object.entries(serverWords.events).flatMap(([object, changes]) =>
  Object.keys(changes).map((change) => `${object}.${change}`),
);

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
let built: BuiltTexts;

beforeAll(async () => {
  vi.stubGlobal("navigator", { language: "en-US", languages: ["en-US"] });
  built = await buildTexts(fileURLToPath(locales));
});
afterAll(() => {
  vi.unstubAllGlobals();
});

async function say(language: string, event: AdminAuditEvent): Promise<string | undefined> {
  await built.text.setLanguage(language);
  return built.sentence.sentenceOf(event, built.text.currentText());
}

/** Whatever its sentence names and the event itself has to say. */
function dataOf(type: string): AdminAuditEvent["data"] {
  const named = valuesOf(messagesIn("en").get(`audit-sentences.types.${type}`) ?? "");
  return Object.fromEntries([...named, "reason"].map((name) => [name, name === "reason" ? "expired" : 2]));
}

describe.each(languages)("in %s", (language) => {
  test.each(eventTypes)("an event %s has a name and a sentence", async (type) => {
    expect(messagesIn(language).get(`audit.types.${type}`)).toMatch(/^[A-ZÄÖÜ]/);
    expect(await say(language, { ...refused, type, data: dataOf(type) })).toMatch(/^\S.*\.$|: /);
  });

  test.each([...connectErrorCodes, ...Object.keys(targetReasons).map((reason) => `target_${reason}`)])(
    "%s, why an account was not connected or a request not sent, has words",
    async (reason) => {
      const type = reason.startsWith("target_") ? "connection.denied" : "connection.refused";
      const sentence = await say(language, { ...refused, type, data: { connector: "google", reason } });
      expect(sentence).toMatch(/: .+\.$/);
      expect(messagesIn(language).has(`audit-sentences.reasons.${reason}`)).toBe(true);
    },
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

test("what was asked for is in the sentence when the event says so", async () => {
  expect(await say("en", refused)).toBe(
    "Authz CLI was refused at a refresh, asking for contracts:write at Contracts: the permission is not assigned.",
  );
  expect(await say("de", refused)).toBe(
    "Authz CLI wurde beim Erneuern abgelehnt, gewünscht war contracts:write bei Contracts: die Berechtigung ist nicht zugewiesen.",
  );
  const { resource: _resource, scopes: _scopes, ...data } = refused.data;
  expect(await say("de", { ...refused, data })).toBe(
    "Authz CLI wurde beim Erneuern abgelehnt: die Berechtigung ist nicht zugewiesen.",
  );
});

test.each([
  {
    type: "assignment.created",
    data: { scope: "a:b", email: "ada@acme.example" },
    de: "Authz CLI hat a:b an ada@acme.example vergeben.",
  },
  {
    type: "assignment.removed",
    data: { scope: "a:b", group: { key: "staff", provider: "hr" } },
    de: "Authz CLI hat der Gruppe staff von HR a:b entzogen.",
  },
  {
    type: "connection.used",
    data: {
      connector: "google",
      method: "GET",
      host: "www.googleapis.com",
      pathTemplate: "/drive",
      status: null,
    },
    de: "Eine Anfrage von ada@acme.example ging über google: GET www.googleapis.com/drive, keine Antwort.",
  },
  {
    type: "signing_key.activated",
    data: { kid: "k2", replaced: "k1", emergency: true },
    de: "Authz CLI hat den Signaturschlüssel k2 anstelle von k1 im Notfall aktiviert.",
  },
  {
    type: "user.changed",
    data: { enabled: { from: true, to: false } },
    de: "Authz CLI hat ada@acme.example gesperrt.",
  },
  {
    type: "connector.changed",
    data: { key: "google", fields: ["clientId"], reconnect: 3 },
    de: "Authz CLI hat den Konnektor google geändert: clientId. 3 Konten müssen neu verbunden werden.",
  },
  {
    type: "refusals.counted",
    data: { event: "token.refused", count: 1, from: "A", to: "B", address: null },
    de: "Eine weitere Ablehnung wurde nur gezählt: token.refused, zwischen A und B.",
  },
])("$type says $de", async ({ type, data, de }) => {
  const links = [{ type: "group-provider", id: "hr", name: "HR" }] as const;
  expect(await say("de", { ...refused, type, data, links: [...links] })).toBe(de);
});

test("a provider has its name, and its key when it is gone", async () => {
  const signIn = { ...refused, type: "sign_in.completed", data: { provider: "acme" } };
  const link = { type: "identity-provider", id: "acme" } as const;
  expect(await say("en", { ...signIn, links: [{ ...link, name: "Acme" }] })).toBe(
    "ada@acme.example signed in with Acme.",
  );
  expect(await say("en", { ...signIn, links: [{ ...link, name: null }] })).toBe(
    "ada@acme.example signed in with acme.",
  );
});

test("a type that this console does not know is left to the server", async () => {
  expect(await say("en", { ...refused, type: "moon.landed" })).toBeUndefined();
});
