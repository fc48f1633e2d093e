import { createServer } from "node:http";
import { initAuthz } from "@authz/koa";
import { createTestIssuer } from "@authz/testing";
import { Router } from "@koa/router";
import { expect, it } from "vitest";

it.each([
  { name: "nothing", target: undefined, got: "undefined" },
  { name: "an HTTP server", target: createServer(), got: "a Server" },
  { name: "a router", target: new Router(), got: "a Router\\w*" },
])(
  "registerRoutes() with $name says what it needs, what it got, and what to write",
  async ({ target, got }) => {
    const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
    const authz = initAuthz(issuer.url, issuer.options);
    const register = () => authz.registerRoutes(target as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(
      new RegExp(`needs the Koa application.* and got ${got}\\. Write authz\\.registerRoutes\\(app\\)`),
    );
  },
);
