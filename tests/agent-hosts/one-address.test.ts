import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { generateEs256KeyPair, inMemory } from "@authz/express";
import express from "express";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../examples/contracts-express/src/app.js";
import { allow } from "../../reference-server/test/person/mcp/agent.js";
import { type Forwarding, startForwarding } from "../../reference-server/test/connectors/use/forwarding.js";
import { resourceRecord } from "../../reference-server/test/support/records.js";
import { refreshCatalogs } from "../../reference-server/src/skills/refresh-catalogs.js";
import { type AgentHost, startAgentHost } from "../../tools/src/agent-host/host.js";
import { signIn } from "../../tools/src/demo/sign-in.js";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { connectClassicAgent } from "./classic-agent.js";
import { connectPresentAgent, type TestAgent } from "./test-agent.js";

type Network = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** The two SDKs that hosts are made of, as they come from npm. */
const sdks: readonly {
  readonly name: string;
  readonly connect: (host: AgentHost, url: URL, network: Network) => Promise<TestAgent>;
}[] = [
  { name: "@modelcontextprotocol/client", connect: connectPresentAgent },
  {
    name: "@modelcontextprotocol/sdk",
    connect: (host, url, network) => connectClassicAgent(host, url, network as typeof fetch),
  },
];

/** Several processes of one server, a service of the company with a skill, and an account of Ada's at a third party. */
interface Company {
  readonly forwarding: Forwarding;
  /** Where the service lists its contracts. */
  readonly contracts: string;
  /** The one address. */
  readonly url: URL;
  /** Carries every other request of a host to another process. */
  readonly network: Network;
  readonly asked: Set<string>;
  close(): Promise<void>;
}

async function startCompany(): Promise<Company> {
  const forwarding = await startForwarding();
  const { system } = forwarding;
  const { context } = system.server;
  const second = await system.startSecondInstance();
  const outer = express();
  const server = outer.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { app, authz } = createApp(system.issuer, {
    resource: `${origin}/api`,
    publicOrigin: origin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "test", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
  });
  outer.use(app);
  await authz.ready();
  const at = new Date();
  await context.store.settings.save({ appTrust: "any" }, at);
  const resource = resourceRecord({
    id: randomUUID(),
    key: "company",
    name: "Contracts of the company",
    resource: `${origin}/api`,
    authorizationServer: origin,
    supportedScopes: ["contracts:read", "contracts:write"],
    skillDiscovery: true,
  });
  await context.store.resources.save(resource, at);
  await refreshCatalogs(context, new Date(at.getTime() + 3_600_000));
  await allow(system, "ada", "authz:agents");
  await allow(system, "bruno", "authz:administer");

  const asked = new Set<string>();
  let turn = 0;
  const network: Network = async (input, init) => {
    const address = new URL(input);
    if (address.pathname === "/mcp") {
      turn += 1;
      const process = turn % 2 === 0 ? system.issuer : second;
      asked.add(process);
      return await fetch(`${process}/mcp`, init);
    }
    return await fetch(address, init);
  };
  return {
    forwarding,
    contracts: `${origin}/api/contracts`,
    url: new URL(`${system.issuer}/mcp`),
    network,
    asked,
    async close() {
      await stop(server);
      await forwarding.close();
    },
  };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

describe.each(sdks)("A host with $name and one address", ({ connect }) => {
  let company: Company;
  let host: AgentHost;
  let agent: TestAgent;

  beforeAll(async () => {
    company = await startCompany();
    const browser = new Browser();
    host = await startAgentHost({
      name: "Host of a test",
      open: (address) => signIn(browser, address, { person: "ada" }),
    });
    agent = await connect(host, company.url, company.network);
  });
  afterAll(async () => {
    await agent.close();
    await host.close();
    await company.close();
  });

  const json = async (tool: string, input: Record<string, unknown>) =>
    JSON.parse((await agent.callTool(tool, input)).text) as Record<string, unknown>;

  test("gets in with it and nothing else: its person signs in once", async () => {
    expect(host.provider.opened.map((address) => address.searchParams.get("resource"))).toEqual([
      company.url.href,
    ]);
    expect(host.provider.opened[0]?.searchParams.get("scope")?.split(" ")).toContain("authz:agents");
    expect(await agent.listTools()).toEqual(
      expect.arrayContaining(["find_skills", "read_skill", "list_connections", "request", "explain"]),
    );
    expect(decodeJwt(host.provider.tokens()?.access_token ?? "")).toMatchObject({
      aud: company.url.href,
      act: { sub: host.clientId },
    });
  });

  test("finds a service, reads how it is used and calls it", async () => {
    const found = await json("find_skills", { query: "list contracts" });
    const [id = ""] = Object.keys(found["skills"] as object);
    expect(id).toBe("company.list-contracts");
    expect((await agent.callTool("read_skill", { id })).text).toContain(company.contracts);
    const { body } = await json("request", { url: company.contracts, scopes: ["contracts:read"] });
    expect(body).toMatchObject({ contracts: expect.any(Array) as unknown[] });
    // Ends of calls are written together.
    await expect
      .poll(async () => await company.forwarding.system.audit("service.called"))
      .toMatchObject([{ outcome: "success", data: { resource: "company", status: 200 } }]);
  });

  test("uses an account that its person has connected", async () => {
    const url = `${company.forwarding.api.origin}/v1/notes/1`;
    expect(await json("request", { url, connection: "notes" })).toMatchObject({ status: 200, body: "ok" });
  });

  test("is denied what its person may not do, and told whom to ask", async () => {
    const scopes = ["contracts:write"];
    const denied = await agent.callTool("request", {
      url: company.contracts,
      method: "POST",
      scopes,
      body: '{"customer":"Acme"}',
    });
    expect(denied.isError).toBe(true);
    const why = await agent.callTool("explain", { url: company.contracts, scopes });
    expect(why.text).toContain("Ask an administrator of Acme: bruno@acme.example.");
  });

  test("loses a permission at a service at once, and keeps the rest", async () => {
    const { database } = company.forwarding.system;
    await database.query("DELETE FROM assignments WHERE scope_key = 'contracts:read'");
    const refused = await agent.callTool("request", { url: company.contracts, scopes: ["contracts:read"] });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^insufficient_scope/) as string,
    });
    expect(await agent.listTools()).toContain("request");
    await allow(company.forwarding.system, "ada", "contracts:read");
    expect(await json("request", { url: company.contracts })).toMatchObject({ status: 200 });
  });

  test("goes on after its token has ended, without its person", async () => {
    host.provider.saveTokens({ ...host.provider.tokens(), access_token: "ended", token_type: "Bearer" });
    expect(await json("request", { url: company.contracts })).toMatchObject({ status: 200 });
    expect(host.provider.opened).toHaveLength(1);
  });

  test("was answered by every process in turn", () => {
    expect(company.asked.size).toBe(2);
  });

  test("is out when its person signs the app out, and the person is asked anew", async () => {
    await company.forwarding.system.database.query("UPDATE grants SET revoked_at = now()");
    expect(await json("request", { url: company.contracts })).toMatchObject({ status: 200 });
    expect(host.provider.opened).toHaveLength(2);
  });
});
