import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { createProofSigner } from "@authz/dpop";
import { type Authz, initAuthz } from "@authz/verify";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type IssuerServer, startIssuerServer } from "../support/issuer-server.js";
import { clientKey, signDraft } from "../support/jwt.js";
import {
  assertionDraft,
  baseOptions,
  issuer,
  issuerFetch,
  issuerJwk,
  jwtBearer,
  publicOrigin,
} from "../support/world.js";
import { createHandler } from "./fetch.js";
import { findFreePort } from "../../../../tools/src/network/ports.js";

test.each(["quickstart.ts", "fetch.ts"])("the README shows %s as it is run here", async (name) => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const code = await readFile(new URL(name, import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});

/** The program of the README at other addresses, in a folder that git ignores and from which packages are found. */
async function quickstartAt(issuerOrigin: string, port: number): Promise<string> {
  const code = await readFile(new URL("quickstart.ts", import.meta.url), "utf8");
  const folder = new URL("../../dist/readme/", import.meta.url);
  await mkdir(folder, { recursive: true });
  const file = new URL("quickstart.mts", folder);
  await writeFile(
    file,
    code.replaceAll("http://127.0.0.1:3000", issuerOrigin).replaceAll("4000", String(port)),
  );
  return file.pathname;
}

describe("the quickstart", () => {
  let issuerServer: IssuerServer;
  let origin: string;
  let server: Server;

  beforeAll(async () => {
    issuerServer = await startIssuerServer([issuerJwk]);
    // It is slow to start.
    issuerServer.handler = (_request, response) => void response.writeHead(503).end();
    const port = await findFreePort();
    origin = `http://127.0.0.1:${port}`;
    const listen = vi.spyOn(NetServer.prototype, "listen");
    await import(await quickstartAt(issuerServer.origin, port));
    server = listen.mock.contexts[0] as Server;
    listen.mockRestore();
    if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
    await issuerServer.close();
  });

  test("refuses a request without authorization", async () => {
    const response = await fetch(`${origin}/api/contracts`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: "unauthorized" });
  });

  const client = createProofSigner(clientKey);

  async function exchange(): Promise<Response> {
    const draft = assertionDraft(Math.floor(Date.now() / 1000));
    Object.assign(draft.claims, { iss: issuerServer.origin, aud: origin, resource: `${origin}/api` });
    const tokenUrl = `${origin}/oauth/token`;
    return await fetch(tokenUrl, {
      method: "POST",
      headers: { dpop: client.sign({ method: "POST", url: tokenUrl }) },
      body: new URLSearchParams({ grant_type: jwtBearer, assertion: signDraft(draft) }),
    });
  }

  test("answers 503 until the authorization server answers, then an authorized request with the subject", async () => {
    const early = await exchange();
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    issuerServer.handler = undefined;
    await expect.poll(async () => (await exchange()).status).toBe(200);
    const exchanged = await exchange();
    const { access_token: accessToken } = (await exchanged.json()) as { access_token: string };
    const url = `${origin}/api/contracts`;
    const dpop = client.sign({ method: "GET", url, accessToken });
    const response = await fetch(url, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
    expect(await response.json()).toEqual({ requested_by: "user-1", contracts: [] });
  });
});

describe("the Fetch handler", () => {
  const authz: Authz = initAuthz(issuer, { ...baseOptions(), fetch: issuerFetch() });

  test("serves discovery and refuses who is not authorized", async () => {
    const handler = createHandler(authz);
    const metadata = await handler(new Request(`${publicOrigin}/.well-known/oauth-protected-resource`));
    expect(await metadata.json()).toMatchObject({ resource: `${publicOrigin}/api` });
    expect((await handler(new Request(`${publicOrigin}/api/contracts`))).status).toBe(401);
  });
});
