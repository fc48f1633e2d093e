import { describe, expect, it } from "vitest";
import { memoryCache } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { githubConnection } from "../support/test-connections.js";
import type { SeenRequest } from "../support/test-http.js";
import { startConnectedWorld } from "../support/test-world.js";

const requests = "/api/me/connections/github/requests";
const url = "https://api.github.example/repos/acme/contracts?state=open#top";

const world = forEachTest(startConnectedWorld);

const lastRequest = (): SeenRequest | undefined => world.connections.forwarded.at(-1);

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("a request through a connection", () => {
  it("goes to the server, says where it is meant for, and answers as the third party did", async () => {
    const answer = await world.ada.connections.fetch("github", url, {
      method: "post",
      headers: { "X-GitHub-Api-Version": "2022-11-28" },
      body: "{}",
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        target: "https://api.github.example/repos/acme/contracts?state=open",
        method: "POST",
        body: "{}",
      },
    ]);
    expect(lastRequest()?.path).toBe(requests);
    expect(lastRequest()?.headers["x-github-api-version"]).toBe("2022-11-28");
    expect(lastRequest()?.headers.authorization).toMatch(/^DPoP /);
  });

  it("streams both ways", async () => {
    const answered: string[] = [];
    world.connections.thirdParty = (request, response) => {
      response.writeHead(200, { "proxy-status": "authz; received-status=200" });
      response.write(`got ${request.body}, `);
      response.on("close", () => answered.push("closed"));
      setImmediate(() => response.end("and more"));
      return undefined;
    };
    async function* parts(): AsyncIterable<Uint8Array> {
      yield Buffer.from("one ");
      yield Buffer.from("two");
    }
    const { body } = await world.ada.connections.request({
      connection: "github",
      url,
      method: "POST",
      body: parts(),
    });
    expect(await textOf(body)).toBe("got one two, and more");
    expect(lastRequest()?.headers["transfer-encoding"]).toBe("chunked");
  });

  it("asks for the description of the connection once in five minutes", async () => {
    const show = "/api/me/connections/github";
    const cache = memoryCache(world.clock);
    const cached = await world.signedIn({ cache });
    for (let time = 0; time < 3; time += 1) await cached.connections.fetch("github", url);
    expect(world.server.count(show)).toBe(1);
    world.clock.advance(301);
    await cached.connections.fetch("github", url);
    expect(world.server.count(show)).toBe(2);
    // What a person may do since a moment ago is not refused by what was kept.
    world.connections.items[0]?.methods.push("DELETE");
    await cached.connections.fetch("github", url, { method: "DELETE" });
    expect([world.server.count(show), lastRequest()?.method]).toEqual([3, "DELETE"]);
  });

  const hostile: { name: string; status: number; headers: Record<string, string> }[] = [
    {
      name: "a nonce",
      status: 401,
      headers: { "dpop-nonce": "evil", "www-authenticate": 'DPoP error="use_dpop_nonce"' },
    },
    { name: "a new token", status: 401, headers: { "www-authenticate": 'DPoP error="invalid_token"' } },
    { name: "a redirect", status: 307, headers: { location: "https://evil.example/" } },
    { name: "another try", status: 503, headers: { "retry-after": "0" } },
  ];
  for (const { name, status, headers } of hostile) {
    it(`is over when the third party wants ${name}`, async () => {
      world.connections.thirdParty = () => ({ status, headers });
      const before = world.server.seen.length;
      const answer = await world.ada.connections.fetch("github", url, { method: "POST", body: "once" });
      expect([answer.status, world.connections.forwarded.length]).toEqual([status, 1]);
      expect(world.server.seen.length - before).toBe(2);
      world.connections.thirdParty = () => ({ status: 204 });
      await world.ada.connections.fetch("github", url);
      const proof = String(lastRequest()?.headers.dpop).split(".")[1] ?? "";
      expect(Buffer.from(proof, "base64url").toString()).not.toContain("evil");
    });
  }

  it("is made again with the nonce that the server itself wants, also when its body can be read once", async () => {
    world.server.nonce = "fresh";
    async function* once(): AsyncIterable<Uint8Array> {
      yield Buffer.from("once");
    }
    const request = { connection: "github", url, method: "POST", body: once() };
    expect((await world.ada.connections.request(request)).status).toBe(200);
    expect(world.connections.forwarded.map(({ body }) => body)).toEqual(["once"]);
  });

  it("sends no credential of the caller, and no header that would be dropped", async () => {
    for (const header of [
      "Authorization",
      "Cookie",
      "DPoP",
      "Host",
      "Authz-Target",
      "X-Forwarded-For",
      "X_Forwarded_For",
      "X-Original-URL",
      "X-Remote-User",
      "Accept-Encoding",
      "Origin",
    ]) {
      const request = world.ada.connections.fetch("github", url, { headers: { [header]: "x" } });
      await expectFailure(request, "header_not_allowed");
    }
    expect(world.connections.forwarded).toEqual([]);
  });

  const refusals: {
    name: string;
    change: { url?: string; method?: string; connection?: string };
    code: Parameters<typeof expectFailure>[1];
    says: string;
  }[] = [
    {
      name: "another host",
      change: { url: "https://evil.example/repos/acme" },
      code: "target_not_allowed",
      says: "They begin with https://api.github.example/repos, https://api.github.example/user.",
    },
    {
      name: "half a path segment",
      change: { url: "https://api.github.example/repositories" },
      code: "target_not_allowed",
      says: "Nothing was sent.",
    },
    {
      name: "an encoded climb",
      change: { url: "https://api.github.example/repos/%2e%2e%2fadmin" },
      code: "invalid_request",
      says: "climbs",
    },
    {
      name: "plain http",
      change: { url: "http://api.github.example/repos" },
      code: "invalid_request",
      says: "https only",
    },
    {
      name: "another method",
      change: { method: "DELETE" },
      code: "method_not_allowed",
      says: "GET, HEAD, POST",
    },
    { name: "another name", change: { connection: "slack" }, code: "not_found", says: '"slack"' },
    { name: "a name that climbs", change: { connection: ".." }, code: "not_found", says: '".."' },
  ];
  for (const { name, change, code, says } of refusals) {
    it(`is not sent to ${name}`, async () => {
      const error = await expectFailure(
        world.ada.connections.request({ connection: "github", url, ...change }),
        code,
      );
      expect([error.message, error.facts.sent]).toEqual([expect.stringContaining(says), "no"]);
      expect(world.server.count(requests)).toBe(0);
    });
  }

  for (const state of ["not_connected", "reconnect_required", "disconnecting"] as const) {
    it(`is not sent while the connection is ${state}`, async () => {
      world.connections.items[0] = githubConnection({ state });
      const error = await expectFailure(world.ada.connections.fetch("github", url), state);
      expect([error.reason, error.facts.connection, error.facts.sent]).toEqual([state, "github", "no"]);
      expect(world.server.count(requests)).toBe(0);
    });
  }

  it("is not sent without the permissions it takes", async () => {
    world.connections.items[0] = githubConnection({ missingScopes: ["github:use"] });
    const error = await expectFailure(world.ada.connections.fetch("github", url), "scope_not_granted");
    expect([error.facts.missingScopes, error.message]).toEqual([
      ["github:use"],
      "You lack a permission that GitHub requires. Missing: github:use. Nothing was sent.",
    ]);
  });
});

describe("when the network fails", () => {
  it("nothing was sent without a connection, and it is unknown after a broken one", async () => {
    await world.ada.connections.fetch("github", url);
    world.server.fail(requests, "drop");
    const broken = await expectFailure(world.ada.connections.fetch("github", url), "unreachable");
    expect(broken.facts.sent).toBe("maybe");
    expect(world.connections.forwarded.length).toBe(2);
    await world.server.close();
    const down = await expectFailure(world.ada.connections.fetch("github", url), "unreachable");
    expect([down.facts.sent, down.message]).toEqual(["no", expect.stringContaining("Nothing was sent.")]);
  });

  it("an answer that breaks off is never taken for a whole one", async () => {
    world.connections.thirdParty = (_, response) => {
      response.writeHead(200, { "proxy-status": "authz; received-status=200", "content-length": "100" });
      response.write("half", () => response.destroy());
      return undefined;
    };
    const { body } = await world.ada.connections.request({ connection: "github", url });
    const error = await expectFailure(textOf(body), "unreachable");
    expect(error.message).toContain("The answer from GitHub broke off.");
  });
});

it("an address of no service is found among the connections", async () => {
  const error = await expectFailure(world.ada.authorizedFetch(url), "url_not_registered");
  expect([error.facts.connection, error.facts.connectionName]).toEqual(["github", "GitHub"]);
});
