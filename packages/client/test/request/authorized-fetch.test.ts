import { beforeEach, describe, expect, it } from "vitest";
import { memoryCache, memoryStore } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import type { SeenRequest } from "../support/test-http.js";
import { startTestService } from "../support/test-service.js";
import { startTestWorld } from "../support/test-world.js";

const world = forEachTest(startTestWorld);
let api: string;
const read = { scopes: ["contracts:read"] };
beforeEach(() => {
  api = `${world.service.origin}/api`;
});

const lastRequest = (): SeenRequest | undefined => world.service.seen.at(-1);

describe("authorizedFetch", () => {
  it("sends method, headers and body, and answers like fetch", async () => {
    const client = await world.signedIn();
    const answer = await client.authorizedFetch(
      `${api}/contracts?page=2#top`,
      { method: "put", headers: { "Content-Type": "text/csv", "X-Trace": "1" }, body: "a;b" },
      read,
    );
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({ path: "/api/contracts", method: "PUT", body: "a;b" });
    expect(lastRequest()?.url.search).toBe("?page=2");
    expect(lastRequest()?.headers).toMatchObject({ "content-type": "text/csv", "x-trace": "1" });
    expect(lastRequest()?.headers.authorization).toMatch(/^DPoP service-token-/);
  });

  it("reads the session once, when everything it needs is there", async () => {
    const store = memoryStore();
    let reads = 0;
    const counted = {
      ...store,
      read: async () => {
        reads += 1;
        return await store.read();
      },
    };
    const client = await world.signedIn({ store: counted });
    await client.authorizedFetch(api, {}, read);
    reads = 0;
    await client.authorizedFetch(api, {}, read);
    expect(reads).toBe(1);
  });

  it("takes the bodies that fetch takes", async () => {
    const client = await world.signedIn();
    const form = new FormData();
    form.set("name", "Ada");
    const bodies = [
      { body: "text", type: "text/plain;charset=UTF-8", arrives: "text" },
      { body: Buffer.from("bytes"), type: "none", arrives: "bytes" },
      {
        body: new URLSearchParams({ a: "b c" }),
        type: /^application\/x-www-form-urlencoded/,
        arrives: "a=b+c",
      },
      { body: new Blob(["{}"], { type: "application/json" }), type: "application/json", arrives: "{}" },
      { body: form, type: /^multipart\/form-data; boundary=/, arrives: /name="name"\r\n\r\nAda/ },
      {
        body: ReadableStream.from([Buffer.from("str"), Buffer.from("eam")]),
        type: "none",
        arrives: "stream",
      },
    ];
    for (const { body, type, arrives } of bodies) {
      await client.authorizedFetch(api, { method: "POST", body }, read);
      expect(lastRequest()?.headers["content-type"] ?? "none").toMatch(type);
      expect(lastRequest()?.body).toMatch(arrives);
    }
  });

  it("answers with a redirect and never follows it", async () => {
    const other = await startTestService(world.server, { key: "other", clock: world.clock });
    const client = await world.signedIn();
    world.service.fail("/api/contracts", {
      status: 307,
      headers: { location: `${other.origin}/api/steal` },
    });
    const answer = await client.authorizedFetch(`${api}/contracts`, {}, read);
    expect([answer.status, answer.headers.get("location")]).toEqual([307, `${other.origin}/api/steal`]);
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it("answers with an empty body where there is none", async () => {
    const client = await world.signedIn();
    world.service.handle = async () => ({ status: 204 });
    const answer = await client.authorizedFetch(api, { method: "DELETE" }, read);
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
  });

  it("sends a body that can be read only once only once", async () => {
    const client = await world.signedIn();
    await client.authorizedFetch(api, {}, read);
    world.service.tokens.clear();
    const body = ReadableStream.from([Buffer.from("once")]);
    const answer = await client.authorizedFetch(api, { method: "POST", body }, read);
    expect(answer.status).toBe(401);
    expect(world.service.seen.filter(({ method }) => method === "POST").map((r) => r.body)).toContain("once");
  });

  it("stops when it is aborted", async () => {
    const client = await world.signedIn();
    const stop = new AbortController();
    world.service.handle = async () => {
      stop.abort();
      return undefined;
    };
    const error = await expectFailure(
      client.authorizedFetch(api, { signal: stop.signal }, read),
      "unreachable",
    );
    expect(error.what).toContain(world.service.origin);
  });

  it("passes through a fetch function", async () => {
    const seen: string[] = [];
    const client = await world.signedIn({
      fetch: async (input, init) => {
        seen.push(new URL(input instanceof Request ? input.url : input).pathname);
        expect(init?.redirect).toBe("manual");
        return await fetch(input, init);
      },
    });
    expect((await client.authorizedFetch(`${api}/x`, { method: "POST", body: "b" }, read)).status).toBe(200);
    expect(seen).toContain("/api/x");
    expect(seen).toContain("/api/oauth/token");
  });
});

describe("before any token is asked for", () => {
  const tokenRequests = (): number =>
    world.server.count("/api/oauth/token") + world.service.count("/oauth/token");

  it("an address that no service registered is refused", async () => {
    const client = await world.signedIn();
    const { origin } = world.service;
    const addresses = [
      `${origin}/apis`,
      `${origin}/`,
      `${origin}/api/../admin`,
      `${origin}/api/%2e%2e/admin`,
      `${origin.replace("127.0.0.1", "localhost")}/api`,
      `${origin}0/api`.replace(/:(\d+)0\//, ":1/"),
      "https://contracts.example/api",
    ];
    const before = tokenRequests();
    for (const address of addresses)
      await expectFailure(client.authorizedFetch(address, {}, read), "url_not_registered");
    expect(tokenRequests()).toBe(before);
  });

  it("an address with tricks in it is refused", async () => {
    const client = await world.signedIn();
    const before = world.server.seen.length;
    await expectFailure(client.authorizedFetch(`${api}/..%2fadmin`, {}, read), "invalid_request");
    expect(world.server.seen.length).toBe(before);
  });

  it("a header that only the client may set is refused", async () => {
    const client = await world.signedIn();
    const before = world.server.seen.length;
    for (const name of ["Authorization", "DPoP", "Cookie", "Host", "proxy-authorization", "Content-Length"])
      await expectFailure(
        client.authorizedFetch(api, { headers: { [name]: "x" } }, read),
        "header_not_allowed",
      );
    for (const headers of [{ "a b": "x" }, { "x-a": "b\r\nCookie: c" }, { "": "x" }, { "x-a": "é€" }])
      await expectFailure(client.authorizedFetch(api, { headers }, read), "invalid_request");
    for (const method of ["CONNECT", "TRACE", "GET /", ""])
      await expectFailure(client.authorizedFetch(api, { method }, read), "invalid_request");
    for (const scope of ["", "a b", 'a"b', "ä"])
      await expectFailure(client.authorizedFetch(api, {}, { scopes: [scope] }), "invalid_request");
    expect(world.server.seen.filter(({ path }) => path === "/api/oauth/token").length).toBe(1);
    expect(world.server.seen.length).toBeLessThanOrEqual(before + 1);
  });
});

describe("the list of services", () => {
  it("is kept for five minutes", async () => {
    const client = await world.signedIn();
    for (let round = 0; round < 3; round += 1) await client.authorizedFetch(api, {}, read);
    expect(world.server.count("/api/me/resources")).toBe(1);
    world.clock.advance(301);
    await client.authorizedFetch(api, {}, read);
    expect(world.server.count("/api/me/resources")).toBe(2);
  });

  it("is asked again when an address is not in it", async () => {
    const client = await world.signedIn();
    await client.authorizedFetch(api, {}, read);
    const late = await startTestService(world.server, { key: "late", clock: world.clock });
    expect((await client.authorizedFetch(`${late.origin}/api`)).status).toBe(200);
    await late.close();
  });

  it("belongs to one person", async () => {
    const cache = memoryCache(world.clock);
    const client = await world.signedIn({ cache });
    await client.authorizedFetch(api, {}, read);
    world.server.person = { ...world.server.person, subject: "user-bob" };
    world.server.services.length = 0;
    const bob = await world.signedIn({ cache });
    const error = await expectFailure(bob.authorizedFetch(api, {}, read), "url_not_registered");
    expect(error.message).toContain("Nothing was sent.");
  });

  it("is refused when two services claim one prefix", async () => {
    world.server.services.push({ ...world.service.registration, key: "twin", resource: `${api}/twin` });
    const client = await world.signedIn();
    const error = await expectFailure(client.authorizedFetch(api, {}, read), "refused");
    expect(error.message).toContain("contracts and twin both registered");
  });
});

describe("planRequest", () => {
  it("says which service, prefix and permissions apply, and sends nothing to the service", async () => {
    const client = await world.signedIn();
    const plan = await client.planRequest({ url: `${api}/contracts`, scopes: ["contracts:write"] });
    expect(plan).toMatchObject({
      method: "GET",
      url: `${api}/contracts`,
      prefix: api,
      scopes: ["contracts:write"],
      missingScopes: ["contracts:write"],
      resource: { key: "contracts" },
    });
    expect(world.service.seen).toEqual([]);
  });
});
