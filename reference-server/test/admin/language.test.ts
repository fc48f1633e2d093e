import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer();
});
afterAll(() => server.close());

const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.8" };

test.each([
  { name: "nothing", headers: {}, language: "en" },
  { name: "a language that is not written", headers: { "accept-language": "eo" }, language: "en" },
  { name: "German", headers: german, language: "de" },
])("who asks for $name is answered in $language", async ({ headers, language }) => {
  const { status, headers: answer, body } = await server.request("GET", "/scopes/a:b", { headers });
  expect(status).toBe(404);
  expect(answer["content-language"]).toBe(language);
  expect(body).toEqual({
    error: "not_found",
    error_description:
      language === "de"
        ? "Den Scope „a:b“ gibt es nicht. Vielleicht hat ihn jemand gelöscht."
        : 'There is no scope "a:b". Somebody may have removed it.',
  });
});

test("wrong fields are named in German", async () => {
  const { body } = await server.request("POST", "/scopes", {
    headers: german,
    body: { key: "read", description: "", color: "red" },
  });
  expect(body).toEqual({
    error: "invalid_request",
    error_description: "„key“ muss „Bereich:Berechtigung“ sein, etwa contracts:read (und 2 weitere).",
    fields: [
      { path: "key", message: "muss „Bereich:Berechtigung“ sein, etwa contracts:read" },
      { path: "description", message: "darf nicht leer sein" },
      { path: "color", message: "ist hier nicht bekannt" },
    ],
  });
});

test("somebody who is not signed in is told so in German", async () => {
  const { body } = await server.request("GET", "/scopes", { headers: german, as: undefined });
  expect(body["error_description"]).toBe(
    "Hier ist niemand angemeldet, oder die Sitzung ist zu Ende. Melden Sie sich neu an.",
  );
});

test("a preview has its notes in German", async () => {
  const { body } = await server.request("POST", "/assignments?preview=true", {
    headers: german,
    body: { email: "new@acme.example", scope: "authz:login" },
  });
  expect(body).toMatchObject({
    impact: {
      notes: ["new@acme.example: hat sich noch nie angemeldet. Es gilt ab der ersten Anmeldung."],
    },
  });
});

test("the checks of a provider and of a directory are in German", async () => {
  const provider = await server.request("POST", "/identity-providers/checks", {
    headers: german,
    body: { issuer: "https://169.254.169.254", clientId: "authz", scopes: ["openid"] },
  });
  expect((provider.body["checks"] as unknown[])[0]).toEqual({
    id: "discovery",
    state: "failed",
    title: "Die Metadaten sind lesbar",
    detail:
      "https://169.254.169.254 ist keine öffentliche Adresse. Wenn das beabsichtigt ist, erlauben Sie ihr Netz in AUTHZ_OUTBOUND_NETWORKS.",
    remedy: "Vergleichen Sie den Issuer Zeichen für Zeichen mit dem, was der Anbieter selbst nennt.",
  });
  const directory = await server.request("POST", "/group-providers/checks", {
    headers: german,
    body: { url: "https://169.254.169.254", secret: "s", email: "ada@acme.example" },
  });
  expect(directory.body).toMatchObject({
    checks: [{ state: "failed", detail: expect.stringContaining("ist keine öffentliche Adresse") as string }],
  });
});
