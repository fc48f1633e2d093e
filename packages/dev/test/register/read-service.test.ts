import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { readService } from "../../src/register/read-service.js";

const issuer = "http://127.0.0.1:3000";
let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** A service that says this about itself; a function is told its origin. */
async function serve(
  document: (origin: string) => unknown,
  { status = 200, at = ["/.well-known/oauth-protected-resource"] }: { status?: number; at?: string[] } = {},
): Promise<URL> {
  server = createServer(({ url = "" }, response) => {
    if (!at.includes(url)) return void response.writeHead(404).end();
    const content = document(origin);
    return void response
      .writeHead(status)
      .end(typeof content === "string" ? content : JSON.stringify(content));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new URL("/api/contracts", origin);
}

function valid(origin: string): Record<string, unknown> {
  return {
    resource: `${origin}/api`,
    authorization_servers: [issuer, origin],
    scopes_supported: ["contracts:read"],
    dpop_bound_access_tokens_required: true,
    resource_name: "Contracts",
    skills_endpoint: `${origin}/.well-known/skills`,
  };
}

describe("the metadata of a service", () => {
  test("is read from its origin, whichever of its addresses is typed", async () => {
    const address = await serve(valid);
    expect(await readService(address, issuer)).toEqual({
      resource: `${address.origin}/api`,
      authorizationServer: address.origin,
      scopes: ["contracts:read"],
      name: "Contracts",
      publishesSkills: true,
      allowsBearer: false,
      strippedPrefix: undefined,
    });
  });

  test("is read at the address itself where the origin has none, and names the server whose tokens are taken", async () => {
    const address = await serve(
      (origin) => ({ ...valid(origin), authorization_servers: [issuer], skills_endpoint: undefined }),
      { at: ["/.well-known/oauth-protected-resource/api/contracts"] },
    );
    expect(await readService(address, issuer)).toMatchObject({
      resource: `${address.origin}/api`,
      authorizationServer: issuer,
    });
  });

  test("is also served below a prefix that a proxy removes", async () => {
    const at = ["/.well-known/oauth-protected-resource", "/api/.well-known/oauth-protected-resource"];
    expect(await readService(await serve(valid, { at }), issuer)).toMatchObject({ strippedPrefix: "/api" });
  });

  test("of another part of the origin is refused, with the proxy that is the reason", async () => {
    const at = ["/.well-known/oauth-protected-resource", "/contracts/.well-known/oauth-protected-resource"];
    const address = new URL("/contracts/api/contracts", await serve(valid, { at }));
    await expect(readService(address, issuer)).rejects.toThrow(
      /protects http:\S+\/api, and http:\S+ is not below that\.\nA proxy in front of it removes \/contracts\./,
    );
    await expect(readService(new URL("/apis", address), issuer)).rejects.toThrow(
      /is not below that\.\nWrite in the service: {2}resource: "http:\S+\/apis"/,
    );
  });

  test.each([
    {
      name: "another publicOrigin",
      change: () => ({ resource: "http://127.0.0.1:4001/api" }),
      says: /different publicOrigin\.\n {2}expected {2}"http:\/\/127\.0\.0\.1:\d+"\n {2}received {2}"http:\/\/127\.0\.0\.1:4001"\nWrite in the service: {2}publicOrigin: "http:/,
    },
    {
      name: "another issuer",
      change: () => ({ authorization_servers: ["http://127.0.0.1:3001"] }),
      says: /different issuer\.\n {2}expected {2}"http:\/\/127\.0\.0\.1:3000"\n {2}received {2}"http:\/\/127\.0\.0\.1:3001"\nWrite in the service: {2}initAuthz\("http:\/\/127\.0\.0\.1:3000"/,
    },
    {
      name: "no issuer",
      change: () => ({ authorization_servers: undefined }),
      says: /different issuer\.\n.*\n {2}received {2}none/,
    },
    { name: "no resource", change: () => ({ resource: 1 }), says: /has no "resource" that is a URL/ },
    {
      name: "a scope that a shell would run",
      change: () => ({ scopes_supported: ["contracts:read", "$(reboot)"] }),
      says: /names "\$\(reboot\)" in "scopes_supported"/,
    },
    {
      name: "no scopes",
      change: () => ({ scopes_supported: [] }),
      says: /supportedScopes: \["contracts:read"\]/,
    },
  ])("with $name is refused with what to write", async ({ change, says }) => {
    const address = await serve((origin) => ({ ...valid(origin), ...change() }));
    await expect(readService(address, issuer)).rejects.toThrow(says);
  });

  test("that is not there leads to registerRoutes", async () => {
    const address = await serve(() => "", { status: 404 });
    await expect(readService(address, issuer)).rejects.toThrow(
      /answers 404[^]*authz\.registerRoutes\(app\);/,
    );
  });

  test.each([
    { name: "no JSON", content: "<html>", says: /is not JSON/ },
    { name: "null", content: "null", says: /has no "resource"/ },
    { name: "endless", content: " ".repeat(100_000), says: /is larger than 65536 bytes/ },
  ])("that is $name is refused", async ({ content, says }) => {
    const address = await serve(() => content);
    await expect(readService(address, issuer)).rejects.toThrow(says);
  });

  test("of a service that does not run says so", async () => {
    const away = new URL("http://127.0.0.1:1");
    await expect(readService(away, issuer)).rejects.toThrow(
      /Nothing answers at http:\/\/127\.0\.0\.1:1\.\nStart/,
    );
  });
});
