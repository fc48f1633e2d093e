import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
beforeAll(async () => void (server = await createAdminServer()));
afterAll(() => server.close());

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>';

function putLogo(body: string, version: number, type = "image/svg+xml") {
  return server.request("PUT", "/settings/logo", { body, version, headers: { "content-type": type } });
}

test("the name and the text for agents change together, and the audit trail says from what to what", async () => {
  expect((await server.request("GET", "/settings")).body).toMatchObject({
    installationName: "Authz",
    instructions: null,
    logo: null,
    version: 1,
  });
  const body = { installationName: " Acme ", instructions: "Ask before you write." };
  const changed = await server.request("PATCH", "/settings", { body, version: 1 });
  expect(changed.body).toMatchObject({
    installationName: "Acme",
    instructions: "Ask before you write.",
    version: 2,
  });
  expect((await server.audit("installation.changed")).map(({ data }) => data)).toEqual([
    { name: { from: "Authz", to: "Acme" }, instructions: { from: null, to: "Ask before you write." } },
  ]);
  expect((await server.request("PATCH", "/settings", { body, version: 1 })).status).toBe(412);
  const cleared = await server.request("PATCH", "/settings", { body: { instructions: "" }, version: 2 });
  expect(cleared.body).toMatchObject({ installationName: "Acme", instructions: null, version: 3 });
});

test("without a logo the pages show the letter, and its address has nothing", async () => {
  expect((await server.app.inject("/assets/logo")).statusCode).toBe(404);
  expect((await server.app.inject("/")).body).toContain('<span class="mark" aria-hidden="true">A</span>');
});

test("a logo is served as a document that can do nothing, and the pages show it", async () => {
  const stored = await putLogo(svg, 3);
  expect(stored.body).toMatchObject({
    logo: {
      type: "image/svg+xml",
      url: expect.stringMatching(/^\/assets\/logo\?v=[\w-]{16}$/) as string,
      bytes: svg.length,
    },
    version: 4,
  });
  const { url } = stored.body["logo"] as { url: string };
  const served = await server.app.inject(url);
  expect(served.body).toBe(svg);
  expect(served.headers).toMatchObject({
    "content-type": "image/svg+xml",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
  });
  const again = await server.app.inject({
    url,
    headers: { "if-none-match": String(served.headers["etag"]) },
  });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
  expect((await server.app.inject("/")).body).toContain(`<img class="mark logo" src="${url}" alt="">`);
  expect((await server.request("GET", "/session")).body).toMatchObject({ installation: { hasLogo: true } });
});

test.each([
  { name: "a script", body: svg.replace("<path", "<script>x</script><path"), reason: "<script>" },
  { name: "an event handler", body: svg.replace("<path", '<path onclick="x"'), reason: "onclick" },
  { name: "a PNG that is none", body: svg, type: "image/png", reason: "was sent as image/png" },
])("a logo with $name is refused, and the one before stays", async ({ body, type, reason }) => {
  const refused = await putLogo(body, 4, type);
  expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_request"]);
  expect(refused.body["error_description"]).toContain(reason);
  expect((await server.app.inject("/assets/logo")).body).toBe(svg);
});

test("other types and more than 64 KiB are refused before anything is looked at", async () => {
  expect((await putLogo("<html/>", 4, "text/html")).status).toBe(415);
  expect((await putLogo("x".repeat(65_537), 4)).status).toBe(413);
});

test("a removed logo gives way to the letter", async () => {
  const removed = await server.request("DELETE", "/settings/logo", { version: 4 });
  expect(removed.body).toMatchObject({ logo: null, version: 5 });
  expect((await server.app.inject("/assets/logo")).statusCode).toBe(404);
  expect((await server.audit("installation.changed")).map(({ data }) => Object.keys(data))).toEqual([
    ["name", "instructions"],
    ["instructions"],
    ["logo"],
    ["logo"],
  ]);
});
