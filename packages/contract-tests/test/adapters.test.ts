import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as expressAdapter from "@authz/express";
import * as fastifyAdapter from "@authz/fastify";
import * as honoAdapter from "@authz/hono";
import * as koaAdapter from "@authz/koa";
import * as nextAdapter from "@authz/next";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { type AuthzOptions, createNonceSource, type Policy } from "@authz/verify";
import { Router } from "@koa/router";
import express from "express";
import { Hono } from "hono";
import Koa from "koa";
import { beforeAll, describe, expect, it } from "vitest";

/** The members that every adapter has. */
interface AnyAuthz {
  readonly requireAuth: (policy?: Policy) => unknown;
  readonly ready: () => Promise<void>;
}

interface Adapter {
  readonly name: string;
  readonly exports: object;
  /** Exports beside those that all adapters have. */
  readonly more?: readonly string[];
  readonly init: (issuer: string, options: AuthzOptions) => AnyAuthz;
}

const adapters: readonly Adapter[] = [
  { name: "express", exports: expressAdapter, more: ["getAuth"], init: expressAdapter.initAuthz },
  { name: "fastify", exports: fastifyAdapter, more: ["authz", "default"], init: fastifyAdapter.initAuthz },
  { name: "hono", exports: honoAdapter, init: honoAdapter.initAuthz },
  { name: "koa", exports: koaAdapter, init: koaAdapter.initAuthz },
  { name: "next", exports: nextAdapter, init: nextAdapter.initAuthz },
];
const sharedExports = [
  "AuthzUnavailableError",
  "createNonceSource",
  "generateEs256KeyPair",
  "inMemory",
  "initAuthz",
];

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
});

describe.each(adapters)("@authz/$name", ({ exports, more = [], init }) => {
  it("exports what a service needs, and nothing else", () => {
    expect(Object.keys(exports).sort()).toEqual([...sharedExports, ...more].sort());
  });

  it("refuses a policy with an unknown scope when the route is declared, not when it is called", () => {
    const authz = init(issuer.url, issuer.options);
    expect(() => authz.requireAuth({ scopes: ["contracts:reed"] })).toThrow(/contracts:reed/);
  });

  it("names a wrong option when it is created", () => {
    expect(() => init("ftp://issuer.test", issuer.options)).toThrow(TypeError);
  });

  it("is ready once the issuer answers", async () => {
    await expect(init(issuer.url, issuer.options).ready()).resolves.toBeUndefined();
  });
});

describe("registerRoutes() says what it needs, what it got, and what to write:", () => {
  const server = { name: "an HTTP server", target: createServer(), got: "a Server" };
  const nothing = { name: "nothing", target: undefined, got: "undefined" };
  const rows = [
    {
      wanted: "the Express application",
      init: expressAdapter.initAuthz,
      targets: [{ name: "the framework itself, not called", target: { express }, got: "another object" }],
    },
    {
      wanted: "the Koa application",
      init: koaAdapter.initAuthz,
      targets: [{ name: "a router", target: new Router(), got: "a Router\\w*" }],
    },
    {
      wanted: "the Fastify instance",
      init: fastifyAdapter.initAuthz,
      targets: [{ name: "the result of Fastify's inject", target: Promise.resolve(), got: "a Promise" }],
    },
    {
      wanted: "the Hono application",
      init: honoAdapter.initAuthz,
      targets: [
        { name: "the handler of an application", target: new Hono().fetch, got: "a function" },
        { name: "an application with a base path", target: new Hono().basePath("/api"), got: "a Hono" },
      ],
    },
  ].flatMap(({ targets, ...row }) => [nothing, server, ...targets].map((target) => ({ ...row, ...target })));

  it.each(rows)("$name instead of $wanted", ({ wanted, init, target, got }) => {
    const register = () => init(issuer.url, issuer.options).registerRoutes(target as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(
      new RegExp(`needs ${wanted}.* and got ${got}\\. Write authz\\.registerRoutes\\(app\\)`),
    );
  });
});

describe("guards upgrades, and names a server that accepts them unguarded:", () => {
  const { initAuthz: initExpress } = expressAdapter;
  const { initAuthz: initKoa } = koaAdapter;

  it.each([
    {
      name: "express",
      start: () => {
        const authz = initExpress(issuer.url, issuer.options);
        return { authz, server: express().use(authz.requireAuth()).listen(0, "127.0.0.1") };
      },
    },
    {
      name: "koa",
      start: () => {
        const authz = initKoa(issuer.url, issuer.options);
        return { authz, server: new Koa().use(authz.requireAuth()).listen(0, "127.0.0.1") };
      },
    },
  ])("$name", async ({ start }) => {
    const warnings: Error[] = [];
    const listener = (warning: Error): void => void warnings.push(warning);
    process.on("warning", listener);
    const { authz, server }: { authz: Pick<expressAdapter.ExpressAuthz, "guardUpgrade">; server: Server } =
      start();
    await once(server, "listening");
    server.on(
      "upgrade",
      authz.guardUpgrade({ scopes: ["contracts:read"] }, ({ socket }) => void socket.end()),
    );
    server.on("upgrade", (_request, socket) => void socket.end());
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
    process.off("warning", listener);
    await new Promise((resolve) => void server.close(resolve));
    expect(warnings).toMatchObject([{ code: "AUTHZ_UPGRADE_UNGUARDED" }]);
  });
});

type Handler = () => Response | Promise<Response>;

describe.each([
  {
    name: "hono",
    answer: (authzIssuer: TestIssuer, handler: Handler, request: Request) => {
      const authz = honoAdapter.initAuthz(authzIssuer.url, authzIssuer.options);
      return new Hono().get("/api/contracts", authz.requireAuth(), handler).request(request);
    },
  },
  {
    name: "next",
    answer: (authzIssuer: TestIssuer, handler: Handler, request: Request) => {
      const authz = nextAdapter.initAuthz(authzIssuer.url, authzIssuer.options);
      return authz.requireAuth()(handler)(request, { params: Promise.resolve({}) });
    },
  },
])("with server nonces, @authz/$name", ({ answer }) => {
  const nonces = createNonceSource({ secret: "0123456789abcdef0123456789abcdef" });

  async function answerOf(handler: Handler): Promise<Response> {
    const nonceIssuer = await createTestIssuer({ supportedScopes: ["contracts:read"], nonces });
    const headers = await nonceIssuer.signRequest({ url: "/api/contracts" });
    const request = new Request("http://inside.example/api/contracts", { headers: { ...headers } });
    return await answer(nonceIssuer, handler, request);
  }

  it("gives the next one to a Response that the handler made itself, with its cookies", async () => {
    const cookies: [string, string][] = [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ];
    const own = await answerOf(() => new Response("own", { status: 201, headers: cookies }));
    expect({ status: own.status, body: await own.text() }).toEqual({ status: 201, body: "own" });
    expect(own.headers.get("dpop-nonce")).toBe(nonces.current());
    expect(own.headers.get("cache-control")).toBe("no-store");
    expect(own.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it("leaves the handler its own Cache-Control", async () => {
    const { headers } = await answerOf(
      () => new Response("own", { headers: { "cache-control": "private, max-age=60" } }),
    );
    expect(headers.get("dpop-nonce")).toBe(nonces.current());
    expect(headers.get("cache-control")).toBe("private, max-age=60");
  });

  it("takes a Response whose headers cannot be changed", async () => {
    const { status, headers } = await answerOf(() => Response.redirect("https://elsewhere.example/", 302));
    expect(status).toBe(302);
    expect(headers.get("dpop-nonce")).toBe(nonces.current());
  });
});
