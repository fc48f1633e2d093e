import { DpopSession } from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopes } from "../../examples/mcp-server/src/app.js";
import type { AgentHost } from "../../tools/src/agent-host/host.js";
import { connectClassicAgent } from "./classic-agent.js";
import { connectPresentAgent, type TestAgent } from "./test-agent.js";
import { startWorld, type World } from "./world.js";

/** The two SDKs that hosts are made of, as they come from npm. */
const sdks: readonly {
  readonly name: string;
  readonly connect: (host: AgentHost, url: URL) => Promise<TestAgent>;
}[] = [
  { name: "@modelcontextprotocol/client", connect: connectPresentAgent },
  { name: "@modelcontextprotocol/sdk", connect: connectClassicAgent },
];

describe.each(sdks)("A host with $name", ({ connect }) => {
  let world: World;
  let host: AgentHost;
  let agent: TestAgent;

  beforeAll(async () => {
    world = await startWorld();
    host = await world.startHost("ada");
    agent = await connect(host, world.url);
  });
  afterAll(async () => {
    await agent.close();
    await world.close();
  });

  const accessClaims = () => decodeJwt(host.provider.tokens()?.access_token ?? "");
  /** What the token opens at the service. */
  const granted = () =>
    String(accessClaims()["scope"])
      .split(" ")
      .filter((scope) => scopes.includes(scope));

  test("gets in with nothing but the address: its document is read, its person signs in and allows it", async () => {
    expect(host.provider.opened.map((address) => address.searchParams.get("resource"))).toEqual([
      world.url.href,
    ]);
    expect(host.documentReads).toBe(1);
    expect(await agent.listTools()).toEqual(["list_contracts", "create_contract"]);
    const claims = accessClaims();
    expect(claims).toMatchObject({
      iss: world.system.issuer,
      aud: world.url.href,
      client_id: host.clientId,
      act: { sub: host.clientId },
    });
    expect(granted()).toEqual(["contracts:read"]);
    expect(await agent.call("list_contracts")).toMatchObject({ requested_by: claims.sub });
  });

  test("goes on after the token has ended, without the person", async () => {
    const before = host.provider.tokens();
    await world.advance(301);
    expect(await agent.call("list_contracts")).toHaveProperty("contracts");
    const after = host.provider.tokens();
    expect(after?.access_token).not.toBe(before?.access_token);
    expect(after?.refresh_token).not.toBe(before?.refresh_token);
    expect(host.provider.opened).toHaveLength(1);
  });

  test("goes on when many calls at once find that the token has ended", async () => {
    await world.advance(301);
    const answers = await Promise.all(Array.from({ length: 8 }, () => agent.call("list_contracts")));
    expect(answers).toHaveLength(8);
    await world.advance(301);
    expect(await agent.call("list_contracts")).toHaveProperty("contracts");
    expect(host.provider.opened).toHaveLength(1);
    expect(await world.system.audit("grant.revoked")).toEqual([]);
  });

  test("is given no more than its person may, however it asks", async () => {
    await expect(agent.call("create_contract", { customer: "Acme" })).rejects.toThrow(
      "Not granted: contracts:write",
    );
    expect(host.provider.opened).toHaveLength(2);
    expect(granted()).toEqual(["contracts:read"]);
    expect(await agent.call("list_contracts")).toHaveProperty("contracts");
  });

  test("asks its person for one more scope when a tool needs it", async () => {
    await world.allow("ada", "contracts:write");
    const contract = await agent.call("create_contract", { customer: "Acme" });
    expect(contract).toEqual({ id: "C-1003", customer: "Acme", status: "draft" });
    const [, , stepUp] = host.provider.opened;
    expect(stepUp?.searchParams.get("scope")?.split(" ")).toEqual(
      expect.arrayContaining(["contracts:read", "contracts:write"]),
    );
    expect(granted()).toEqual(["contracts:read", "contracts:write"]);
    expect(host.provider.opened).toHaveLength(3);
  });

  test("is out when it signs out, and its person is asked anew", async () => {
    await signOut(host);
    await world.advance(301);
    expect(await agent.call("list_contracts")).toHaveProperty("contracts");
    expect(host.provider.opened).toHaveLength(4);
    expect(await world.system.audit("grant.revoked")).toMatchObject([
      { data: { reason: "revoked_by_client" } },
    ]);
  });
});

describe("A host that has a key", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  test("gets tokens that are of no use without it", async () => {
    const dpop = await DpopSession.create();
    const host = await world.startHost("ada", dpop);
    const agent = await connectPresentAgent(host, world.url);
    expect(await agent.call("list_contracts")).toHaveProperty("contracts");
    await agent.close();
    const { access_token: token = "", token_type: type } = host.provider.tokens() ?? {};
    expect(type?.toLowerCase()).toBe("dpop");
    expect(decodeJwt(token)).toMatchObject({ cnf: { jkt: dpop.thumbprint } });
    const stolen = ["Bearer", "DPoP"].map((scheme) =>
      fetch(world.url, { method: "POST", headers: { authorization: `${scheme} ${token}` } }),
    );
    expect((await Promise.all(stolen)).map(({ status }) => status)).toEqual([401, 401]);
  });
});

/** What a host sends when its person signs out (RFC 7009): the SDKs only forget. */
async function signOut(host: AgentHost): Promise<void> {
  const metadata: object = host.provider.discoveryState()?.authorizationServerMetadata ?? {};
  if (!("revocation_endpoint" in metadata)) throw new Error("The server names no revocation endpoint.");
  const answer = await fetch(String(metadata.revocation_endpoint), {
    method: "POST",
    body: new URLSearchParams({
      client_id: host.clientId,
      token: host.provider.tokens()?.refresh_token ?? "",
    }),
  });
  expect(answer.status).toBe(200);
}
