import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { generateEs256KeyPair, inMemory } from "@authz/express";
import type { DpopSession } from "@modelcontextprotocol/client";
import express from "express";
import { createApp, scopes } from "../../examples/mcp-server/src/app.js";
import { reloadKeys } from "../../reference-server/src/oauth/keys/keys.js";
import { type OauthServer, startOauthServer } from "../../reference-server/test/support/oauth-server.js";
import { resourceRecord } from "../../reference-server/test/support/records.js";
import { type AgentHost, startAgentHost } from "../../tools/src/agent-host/host.js";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { signIn } from "../../tools/src/demo/sign-in.js";

/** The example's MCP server, registered at an authorization server of its own, and everything on free ports. */
export interface World {
  readonly system: OauthServer;
  /** The address that a person types into their host. */
  readonly url: URL;
  /** Moves every clock but that of the hosts. */
  advance(seconds: number): Promise<void>;
  /** Gives a person of the company one more scope. */
  allow(person: string, scope: string): Promise<void>;
  /** A host whose person has a browser of their own, signed in nowhere. */
  startHost(person: string, dpop?: DpopSession): Promise<AgentHost>;
  close(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const system = await startOauthServer();
  const hosts: AgentHost[] = [];
  let offset = 0;
  // The options name the address, which is known when it listens.
  const outer = express();
  const server = outer.listen(0, "127.0.0.1");
  await once(server, "listening");
  const publicOrigin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await register(system, publicOrigin);
  const { app, authz } = createApp(system.issuer, {
    resource: `${publicOrigin}/mcp`,
    publicOrigin,
    clientId: "authz-cli",
    supportedScopes: scopes,
    signingKey: { kid: "test", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    dpop: "allowed",
    allowInsecureLoopback: true,
    clock: () => Date.now() + offset,
  });
  outer.use(app);
  await authz.ready();
  return {
    system,
    url: new URL("/mcp", publicOrigin),
    async advance(seconds) {
      offset += seconds * 1000;
      system.advance(seconds);
      // Otherwise the server would take the keys that it has for too old, as after a database that was away that long.
      await reloadKeys(system.server.context);
    },
    allow: (person, scope) => allow(system, person, scope),
    async startHost(person, dpop) {
      const browser = new Browser();
      const host = await startAgentHost({
        name: "Host of a test",
        open: (address) => signIn(browser, address, { person }),
        dpop,
      });
      hosts.push(host);
      return host;
    },
    async close() {
      await Promise.all([...hosts.map((host) => host.close()), stop(server)]);
      await system.close();
    },
  };
}

async function register({ server: { context } }: OauthServer, origin: string): Promise<void> {
  const at = new Date();
  await context.store.settings.save({ appTrust: "any", dynamicRegistration: true }, at);
  await context.store.resources.save(
    resourceRecord({
      id: randomUUID(),
      key: "contracts-mcp",
      name: "Contracts (MCP)",
      resource: `${origin}/mcp`,
      authorizationServer: origin,
      supportedScopes: [...scopes],
      allowsBearer: true,
    }),
    at,
  );
}

async function allow({ server: { context } }: OauthServer, person: string, scope: string): Promise<void> {
  const assignment = { id: randomUUID(), email: `${person}@acme.example`, scope };
  await context.store.assignments.insertMissing(assignment, new Date());
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
