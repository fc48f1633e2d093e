import { createServer } from "node:http";
import { initAuthz } from "@authz/fastify";
import { createTestIssuer } from "@authz/testing";
import { expect, it } from "vitest";

it.each([
  { name: "nothing", target: undefined, got: "undefined" },
  { name: "an HTTP server", target: createServer(), got: "a Server" },
  { name: "what Fastify's inject gives", target: Promise.resolve(), got: "a Promise" },
])(
  "registerRoutes() with $name says what it needs, what it got, and what to write",
  async ({ target, got }) => {
    const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
    const authz = initAuthz(issuer.url, issuer.options);
    const register = () => authz.registerRoutes(target as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(
      new RegExp(`needs the Fastify instance.* and got ${got}\\. Write authz\\.registerRoutes\\(app\\)`),
    );
  },
);
