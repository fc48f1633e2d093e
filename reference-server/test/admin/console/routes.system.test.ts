import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../support/console-build.js";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";

let system: OauthServer;

beforeAll(async () => {
  await buildConsole();
  system = await startOauthServer();
  const { store } = system.server.context;
  const administration = { id: randomUUID(), email: "bruno@acme.example", scope: "authz:administer" };
  await store.assignments.insertMissing(administration, new Date());
});
afterAll(() => system.close());

const open = (path: string) => `${system.issuer}${path}`;

test("without a session the console redirects to the sign-in and back", async () => {
  const path = "/admin/assignments?scope=contracts%3Aread&q=ada+l%40acme.example";
  const { statusCode, headers } = await system.server.app.inject({ url: path });
  expect(statusCode).toBe(303);
  expect(headers.location).toBe(`/sign-in?${new URLSearchParams({ return_to: path }).toString()}`);
  const page = await signIn(createBrowser(), open(path), "bruno");
  expect(`${page.url.pathname}${page.url.search}`).toBe(path);
  expect(page.status).toBe(200);
});

test.each(["/admin//elsewhere.example", "/admin\\elsewhere", "/admin/%0d%0aset-cookie:a", "/administration"])(
  "the sign-in leads nowhere else: %s",
  async (path) => {
    const query = new URLSearchParams({ return_to: path }).toString();
    const page = await signIn(createBrowser(), open(`/sign-in?${query}`), "bruno");
    expect(page.url.origin).toBe(system.issuer);
    expect(["/", "/admin/%0d%0aset-cookie:a"]).toContain(page.url.pathname);
  },
);

test("a person without the permission sees who administers, in their language", async () => {
  const browser = createBrowser();
  const page = await signIn(browser, open("/admin/scopes"), "ada");
  expect(page.status).toBe(403);
  expect(page.html).toContain("ada@acme.example. This account does not administer Acme");
  expect(page.html).toContain("bruno@acme.example");
  const german = await browser.open(open("/admin"), { headers: { "accept-language": "de-CH, en;q=0.5" } });
  expect(german.html).toContain('<html lang="de">');
});

test("a disabled administrator has no access", async () => {
  const browser = createBrowser();
  await signIn(browser, open("/admin"), "bruno");
  const { users } = system.server.context.store;
  const bruno = await users.findByEmail("bruno@acme.example");
  await system.database.query("UPDATE users SET enabled = false WHERE id = $1", [bruno?.id]);
  const page = await browser.open(open("/admin"));
  await system.database.query("UPDATE users SET enabled = true WHERE id = $1", [bruno?.id]);
  expect(page.url.pathname).not.toBe("/admin");
});

test("the page runs only its own files, with a new nonce each time", async () => {
  const browser = createBrowser();
  const first = await signIn(browser, open("/admin"), "bruno");
  const second = await browser.open(open("/admin/any/deep/screen"));
  const [policy, next] = [first, second].map(({ headers }) => headers.get("content-security-policy") ?? "");
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(next).not.toBe(policy);
  expect(first.html).toContain(`content="${/nonce-([\w-]+)/.exec(policy ?? "")?.[1]}"`);
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect(first.html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style="/);
});

test("its files are public, compressed, and cached forever", async () => {
  const { html } = await signIn(createBrowser(), open("/admin"), "bruno");
  const script = /<script type="module"[^>]* src="(\/admin\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
  const { app } = system.server;
  const file = await app.inject({ url: script, headers: { "accept-encoding": "gzip, br" } });
  expect(file.statusCode).toBe(200);
  expect(file.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "content-encoding": "br",
    "cache-control": "public, max-age=15552000, immutable",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
  });
  const again = await app.inject({ url: script, headers: { "if-none-match": String(file.headers.etag) } });
  expect(again.statusCode).toBe(200);
  const same = await app.inject({
    url: script,
    headers: { "if-none-match": String(file.headers.etag), "accept-encoding": "br" },
  });
  expect(same.statusCode).toBe(304);
  const missing = await app.inject({ url: "/admin/assets/missing.js" });
  expect(missing.statusCode).toBe(404);
});
