import { createServer } from "node:http";
import { initAuthz } from "@authz/hono";
import { createTestIssuer } from "@authz/testing";
import { Hono } from "hono";
import { expect, it } from "vitest";

it.each([
  { name: "nothing", target: undefined, got: "undefined" },
  { name: "an HTTP server", target: createServer(), got: "a Server" },
  { name: "the handler of an application", target: new Hono().fetch, got: "a function" },
  { name: "an application with a base path", target: new Hono().basePath("/api"), got: "a Hono" },
])(
  "registerRoutes() with $name says what it needs, what it got, and what to write",
  async ({ target, got }) => {
    const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
    const authz = initAuthz(issuer.url, issuer.options);
    const register = () => authz.registerRoutes(target as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(
      new RegExp(`needs the Hono application.* and got ${got}\\. Write authz\\.registerRoutes\\(app\\)`),
    );
  },
);
