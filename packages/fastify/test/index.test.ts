import authzPlugin, { type Auth, type FastifyAuthzOptions, initAuthz } from "@authz/fastify";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import Fastify from "fastify";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";

const read = { scopes: ["contracts:read"] };

describe("@authz/fastify", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  it("works through app.inject, without a port", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = Fastify();
    authz.registerRoutes(app);
    app.get(
      "/api/contracts",
      { onRequest: authz.requireAuth(read) },
      async (request) => request.auth.identity,
    );

    const headers = { ...(await issuer.signRequest({ url: "/api/contracts", subject: "ada" })) };
    const authorized = await app.inject({ url: "/api/contracts", headers });
    expect(authorized.json()).toMatchObject({ subject: "ada" });
    expect((await app.inject({ url: "/api/contracts", headers })).statusCode).toBe(401);
    expect((await app.inject({ method: "POST", url: "/oauth/token" })).statusCode).toBe(400);
    await app.close();
  });

  it("is a plugin: it mounts the routes and decorates the application with what guards need", async () => {
    const app = Fastify();
    await app.register(authzPlugin, { issuer: issuer.url, ...issuer.options });
    expect(app.hasPlugin("@authz/fastify")).toBe(true);
    await app.authz.ready();
    app.get(
      "/api/contracts",
      { onRequest: app.authz.requireAuth(read) },
      async (request) => request.auth.identity,
    );
    const headers = { ...(await issuer.signRequest({ url: "/api/contracts", subject: "ada" })) };
    expect((await app.inject({ url: "/api/contracts", headers })).json()).toMatchObject({ subject: "ada" });
    expect((await app.inject("/api/contracts")).statusCode).toBe(401);
    expect((await app.inject("/.well-known/jwks.json")).statusCode).toBe(200);
    await app.close();
  });

  it("names a wrong option when the plugin is registered", async () => {
    const options = { issuer: issuer.url, ...issuer.options, prefix: "/v1" } as FastifyAuthzOptions;
    await expect(Fastify().register(authzPlugin, options)).rejects.toThrow('"prefix"');
  });

  it.each([
    { hookName: "onRequest", when: "at once", headers: {} },
    { hookName: "preHandler", when: "at once", headers: {} },
    { hookName: "onRequest", when: "later", headers: { authorization: "DPoP unknown" } },
    { hookName: "preHandler", when: "later", headers: { authorization: "DPoP unknown" } },
  ])(
    "keeps the handler shut while a slow onSend hook holds back what $hookName refused $when",
    async ({ hookName, headers }) => {
      const authz = initAuthz(issuer.url, issuer.options);
      let entered = false;
      const app = Fastify();
      app.addHook("onSend", async () => {
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
      });
      app.get("/api/contracts", { [hookName]: authz.requireAuth(read) }, async () => {
        entered = true;
        return {};
      });
      expect((await app.inject({ url: "/api/contracts", headers })).statusCode).toBe(401);
      expect(entered).toBe(false);
      await app.close();
    },
  );

  it("can be called from a hook of the application, which waits for it", async () => {
    const requireAuth = initAuthz(issuer.url, issuer.options).requireAuth(read);
    const app = Fastify();
    app.decorateRequest("auth");
    app.addHook("onSend", async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
    });
    app.addHook("onRequest", async (request, reply) => {
      if (request.url !== "/open") await requireAuth(request, reply);
    });
    let entered = 0;
    for (const url of ["/open", "/api/contracts"]) app.get(url, async () => ({ entered: ++entered }));

    const headers = { ...(await issuer.signRequest({ url: "/api/contracts" })) };
    expect((await app.inject({ url: "/api/contracts", headers })).statusCode).toBe(200);
    expect((await app.inject({ url: "/api/contracts", headers })).statusCode).toBe(401);
    expect((await app.inject("/api/contracts")).statusCode).toBe(401);
    expect((await app.inject("/open")).statusCode).toBe(200);
    expect(entered).toBe(2);
    await app.close();
  });

  it("hands an error that is no refusal to the error handler as it is", async () => {
    const broken = new Error("The clock is broken.");
    const authz = initAuthz(issuer.url, {
      ...issuer.options,
      clock: () => {
        throw broken;
      },
    });
    const app = Fastify();
    app.setErrorHandler(async (error, _request, reply) => reply.code(500).send({ same: error === broken }));
    app.get("/api/contracts", { onRequest: authz.requireAuth() }, async () => ({}));
    const headers = { ...(await issuer.signRequest({ url: "/api/contracts" })) };
    expect((await app.inject({ url: "/api/contracts", headers })).json()).toEqual({ same: true });
    await app.close();
  });

  it("checks the proof against the path the client asked for, before rewriteUrl", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = Fastify({ rewriteUrl: (request) => (request.url ?? "/").replace("/v1/", "/") });
    app.get("/api/contracts", { onRequest: authz.requireAuth(read) }, async () => ({}));
    const headers = { ...(await issuer.signRequest({ url: "/v1/api/contracts" })) };
    expect((await app.inject({ url: "/v1/api/contracts", headers })).statusCode).toBe(200);
    await app.close();
  });

  it("shows its routes to an application that turned HEAD routes off", async () => {
    const app = Fastify({ exposeHeadRoutes: false });
    initAuthz(issuer.url, issuer.options).registerRoutes(app);
    expect((await app.inject({ method: "HEAD", url: "/.well-known/jwks.json" })).statusCode).toBe(200);
    await app.close();
  });

  it("types the request without a cast, for any declaration of the route", () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = Fastify();
    app.get<{ Params: { id: string } }>("/a/:id", { onRequest: authz.requireAuth() }, async (request) => {
      expectTypeOf(request.auth).toEqualTypeOf<Auth>();
      expectTypeOf(request.params.id).toBeString();
    });
    app.post<{ Body: { title: string } }>("/b", { preHandler: authz.requireAuth() }, async (request) => {
      expectTypeOf(request.body.title).toBeString();
    });
    app.addHook("preHandler", authz.requireAuth());
    authz.registerRoutes(Fastify({ loggerInstance: Object.assign(app.log, { own: true }) }));
    const http2 = Fastify({ http2: true });
    void http2.register(authzPlugin, { issuer: issuer.url, ...issuer.options });
    http2.get("/", { onRequest: authz.requireAuth() }, async (request) => {
      expectTypeOf(request.auth.identity.subject).toBeString();
    });
    expect(app.hasRoute({ method: "GET", url: "/a/:id" })).toBe(true);
  });
});
