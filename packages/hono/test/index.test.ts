import { type Auth, type AuthEnv, createNonceSource, initAuthz } from "@authz/hono";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { Hono } from "hono";
import { validator } from "hono/validator";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";

const tokenPath = "/oauth/token";

describe("@authz/hono", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  it("throws an error that is no refusal as it is, for the error handler", async () => {
    const broken = new Error("The clock is broken.");
    const authz = initAuthz(issuer.url, {
      ...issuer.options,
      clock: () => {
        throw broken;
      },
    });
    const seen: unknown[] = [];
    const app = new Hono();
    app.onError((error, c) => {
      seen.push(error);
      return c.text("handled", 500);
    });
    app.get("/api/contracts", authz.requireAuth(), (c) => c.text("entered"));

    const headers = await issuer.signRequest({ url: "/api/contracts" });
    const answer = await app.request("/api/contracts", { headers: { ...headers } });
    expect(await answer.text()).toBe("handled");
    expect(seen).toEqual([broken]);
  });

  it.each<{ name: string; read: (request: Reader) => Promise<unknown> }>([
    { name: "its text", read: (request) => request.text() },
    { name: "its bytes", read: (request) => request.arrayBuffer() },
    { name: "a form", read: (request) => request.formData() },
    { name: "the fields of a form", read: (request) => request.parseBody() },
  ])("understands a token request of which the application has read $name", async ({ read }) => {
    const app = new Hono();
    app.use(async (c, next) => {
      await read(c.req);
      await next();
    });
    initAuthz(issuer.url, issuer.options).registerRoutes(app);
    const body = new URLSearchParams({ grant_type: "password" });
    const answer = await app.request(tokenPath, { method: "POST", body });
    expect(await answer.json()).toMatchObject({ error: "unsupported_grant_type" });
  });

  it("refuses a token request whose body was read past the context", async () => {
    const app = new Hono();
    app.use(async (c, next) => {
      await c.req.raw.text();
      await next();
    });
    initAuthz(issuer.url, issuer.options).registerRoutes(app);
    const body = new URLSearchParams({ grant_type: "password" });
    const answer = await app.request(tokenPath, { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_request" });
  });

  it("sees a token in a form that a validator has read, among other fields and twice", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = new Hono();
    const form = validator("form", (fields) => fields);
    app.post("/api/contracts", form, authz.requireAuth(), (c) => c.text("entered"));
    const headers = await issuer.signRequest({ method: "POST", url: "/api/contracts" });
    const answer = await app.request("/api/contracts", {
      method: "POST",
      headers: { ...headers },
      body: new URLSearchParams([
        ["customer", "Acme"],
        ["access_token", "abc"],
        ["access_token", "def"],
      ]),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_request" });
  });

  it("with server nonces, leaves the answer alone that turns the connection into a WebSocket", async () => {
    const nonces = createNonceSource({ secret: "0123456789abcdef0123456789abcdef" });
    const nonceIssuer = await createTestIssuer({ supportedScopes: ["contracts:read"], nonces });
    // Node cannot make one; in Deno it comes from Deno.upgradeWebSocket.
    const upgrade = Object.defineProperty(new Response(), "status", { value: 101 });
    const authz = initAuthz(nonceIssuer.url, nonceIssuer.options);
    const app = new Hono().get("/api/contracts", authz.requireAuth(), () => upgrade);
    const headers = await nonceIssuer.signRequest({ url: "/api/contracts" });
    expect(await app.request("/api/contracts", { headers: { ...headers } })).toBe(upgrade);
  });

  it("types the caller without a cast, and only behind requireAuth", () => {
    interface OwnEnv {
      Variables: { requestId: number };
    }
    const authz = initAuthz(issuer.url, issuer.options);
    const app = new Hono().use(authz.requireAuth()).get("/", (c) => {
      expectTypeOf(c.var.auth).toEqualTypeOf<Auth>();
      return c.text("");
    });
    new Hono<AuthEnv>().get("/", (c) => c.text(c.get("auth").identity.subject));
    new Hono<OwnEnv>().get("/:id", authz.requireAuth({ scopes: ["contracts:read"] }), (c) => {
      expectTypeOf(c.get("auth").identity.type).toEqualTypeOf<"user" | "machine">();
      expectTypeOf(c.get("requestId")).toBeNumber();
      expectTypeOf(c.req.param("id")).toBeString();
      return c.text("");
    });
    const title = validator("json", ({ title: given }: { title: string }) => ({ title: given }));
    new Hono<OwnEnv>().post("/", authz.requireAuth(), title, async (c) => {
      expectTypeOf(c.req.valid("json")).toEqualTypeOf<{ title: string }>();
      expectTypeOf(await c.req.json()).toBeAny();
      return c.text("");
    });
    // @ts-expect-error No caller is verified here.
    new Hono<OwnEnv>().get("/", (c) => c.text(c.get("auth").identity.subject));
    authz.registerRoutes(new Hono<OwnEnv>());
    authz.registerRoutes(new Hono<{ Bindings: { SECRET: string } }>().basePath("/"));
    expect(app).toBeInstanceOf(Hono);
  });
});

/** What an application reads a body with. */
interface Reader {
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  formData(): Promise<FormData>;
  parseBody(): Promise<unknown>;
}
