import { randomUUID } from "node:crypto";
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow } from "../../person/mcp/agent.js";
import { Browser } from "../../support/browser.js";
import { type McpService, startMcpService } from "../../support/mcp-service.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";
import { RegisteredClient } from "../../support/registered-client.js";

const agentSecret = "the secret of the agent at its provider";
const agentRedirect = "http://127.0.0.1:49160/callback";
const agentId = "agent-at-authz";

let system: OauthServer;
let service: McpService;
beforeAll(async () => {
  service = await startMcpService(() => system.issuer);
  system = await startOauthServer({}, (issuer) => [
    {
      clientId: "agent",
      clientSecret: agentSecret,
      redirectUris: [agentRedirect],
      assertionsFor: [{ issuer, clientId: agentId }],
    },
    { clientId: "other", clientSecret: agentSecret, redirectUris: [agentRedirect] },
  ]);
  const { store } = system.server.context;
  const provider = await store.identityProviders.findByKey("acme");
  if (provider === undefined) throw new Error("There is no provider.");
  await store.identityProviders.save({ ...provider, allowsAssertions: true }, new Date());
  await store.resources.save(
    {
      ...system.resource,
      id: randomUUID(),
      key: "mcp",
      name: "Contracts by MCP",
      resource: service.url.href,
      authorizationServer: service.url.origin,
      requestPrefixes: [service.url.href],
      allowsBearer: true,
    },
    new Date(),
  );
  await RegisteredClient.register(system, { id: agentId, type: "public", dpopBound: false });
  // Ada has signed in before, so that the server knows her.
  await (await RawDevice.create(system.issuer)).signIn();
});
afterAll(async () => {
  await service.close();
  await system.close();
});

/** Signs a person in at the company's provider, as the agent does, and returns the ID token. */
async function signInAtProvider(person: string, clientId = "agent"): Promise<string> {
  const { issuer } = system.idp;
  const config = await openid.discovery(
    new URL(issuer),
    clientId,
    undefined,
    openid.ClientSecretPost(agentSecret),
    {
      execute: [openid.allowInsecureRequests],
    },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: agentRedirect,
    scope: "openid email",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const browser = new Browser(({ origin }) => origin !== issuer);
  const form = await browser.open(url);
  const back = await browser.submit({ action: form.url, fields: { person } });
  const tokens = await openid.authorizationCodeGrant(config, back.url, {
    pkceCodeVerifier,
    idTokenExpected: true,
  });
  return tokens.id_token ?? "";
}

/** Gets tokens on the word of the company's provider, as the SDK does it. */
function vouchedFor(idToken: string): CrossAppAccessProvider {
  return new CrossAppAccessProvider({
    clientId: agentId,
    // The SDK wants one; it sends none to a server that takes public clients.
    clientSecret: "unused",
    expectedIssuer: system.issuer,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: system.idp.issuer,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken,
        clientId: "agent",
        clientSecret: agentSecret,
        fetchFn,
        ...(scope !== undefined && { scope }),
      });
      return jwtAuthGrant;
    },
  });
}

/** Asks the service who it thinks that calls, with the SDK as it is. */
async function whoami(authProvider: CrossAppAccessProvider): Promise<unknown> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(service.url, { authProvider }));
  try {
    const { content } = await client.callTool({ name: "whoami", arguments: {} });
    return content;
  } finally {
    await client.close();
  }
}

describe("an unmodified MCP client with enterprise-managed authorization", () => {
  test("reaches a service on the word of the company's provider", async () => {
    const answer = await whoami(vouchedFor(await signInAtProvider("ada")));
    expect(answer).toEqual([{ type: "text", text: `ada@acme.example through ${agentId}` }]);
    expect(service.seen.at(-1)).toMatchObject({ scope: "contracts:read", act: { sub: agentId } });
    expect((await system.audit("token.issued")).at(-1)?.data).toMatchObject({
      provider: "acme",
      resource: service.url.href,
    });
  });

  test("reaches the address for agents as well, and everything behind it", async () => {
    await allow(system, "ada", "authz:agents");
    const authProvider = vouchedFor(await signInAtProvider("ada"));
    const client = new Client({ name: "agent", version: "1.0.0" });
    const address = new URL(`${system.issuer}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(address, { authProvider }));
    try {
      const place = { url: system.resource.resource, scopes: ["contracts:read"] };
      const { structuredContent } = await client.callTool({ name: "explain", arguments: place });
      expect(structuredContent).toMatchObject({ granted: [expect.stringContaining("ada@acme.example")] });
    } finally {
      await client.close();
    }
    expect((await system.audit("token.issued")).at(-1)?.data).toMatchObject({
      provider: "acme",
      resource: address.href,
      scopes: ["authz:agents"],
    });
  });

  test("reaches a service on the word of this server, where the person signed in to the client", async () => {
    const device = await RawDevice.create(system.issuer);
    const portable = await RegisteredClient.register(system, {
      type: "public",
      dpopBound: false,
      redirectUris: ["http://127.0.0.1/callback"],
    });
    const code = await device.authorize({ client_id: portable.id, dpop_jkt: undefined });
    const form = { ...device.codeParameters(code), client_id: portable.id };
    const { id_token: idToken = "" } = (await device.token(form, { proofs: [] })).body;
    const answer = await whoami(
      new CrossAppAccessProvider({
        clientId: portable.id,
        clientSecret: "unused",
        expectedIssuer: system.issuer,
        assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
          const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
            idpUrl: system.issuer,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken,
            clientId: portable.id,
            fetchFn,
          });
          return jwtAuthGrant;
        },
      }),
    );
    expect(answer).toEqual([{ type: "text", text: `ada@acme.example through ${portable.id}` }]);
  });

  test("is told what is missing when the person may do nothing there", async () => {
    const idToken = await signInAtProvider("fred");
    const assertion = async () => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: system.idp.issuer,
        audience: system.issuer,
        resource: service.url.href,
        idToken,
        clientId: "agent",
        clientSecret: agentSecret,
      });
      return jwtAuthGrant;
    };
    const provider = { clientId: agentId, clientSecret: "unused", expectedIssuer: system.issuer, assertion };
    await expect(whoami(new CrossAppAccessProvider(provider))).rejects.toThrow(
      "somebody who is not known here",
    );
    await (await RawDevice.create(system.issuer)).signIn({}, undefined, "fred");
    await expect(whoami(new CrossAppAccessProvider(provider))).rejects.toThrow(
      "No requested scope is allowed",
    );
  });
});

describe("the development provider", () => {
  const request = async (idToken: string, clientId = "agent", change: object = {}) =>
    await discoverAndRequestJwtAuthGrant({
      idpUrl: system.idp.issuer,
      audience: system.issuer,
      resource: service.url.href,
      idToken,
      clientId,
      clientSecret: agentSecret,
      ...change,
    });

  test("gives no assertion for another server, nor for an ID token of another application, or none", async () => {
    const [ours, others] = await Promise.all([signInAtProvider("ada"), signInAtProvider("ada", "other")]);
    await expect(request(ours, "agent", { audience: "https://other.example" })).rejects.toThrow(
      "invalid_target",
    );
    await expect(request(others)).rejects.toThrow("invalid_grant");
    await expect(request(`${ours.slice(0, -8)}AAAAAAAA`)).rejects.toThrow("invalid_grant");
    await expect(request("none")).rejects.toThrow("invalid_grant");
    await expect(request(others, "other")).rejects.toThrow("not allowed for this client");
    await expect(request(ours, "agent", { clientSecret: "wrong" })).rejects.toThrow("invalid_client");
  });
});
