import { createServer } from "node:http";
import { initAuthz } from "@authz/express";
import { createTestIssuer } from "@authz/testing";
import express from "express";
import { expect, it } from "vitest";

it.each([
  { name: "nothing", target: undefined, got: "undefined" },
  { name: "an HTTP server", target: createServer(), got: "a Server" },
  { name: "the framework itself, not called", target: { express }, got: "another object" },
])(
  "registerRoutes() with $name says what it needs, what it got, and what to write",
  async ({ target, got }) => {
    const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
    const authz = initAuthz(issuer.url, issuer.options);
    const register = () => authz.registerRoutes(target as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(
      new RegExp(`needs the Express application.* and got ${got}\\. Write authz\\.registerRoutes\\(app\\)`),
    );
  },
);
