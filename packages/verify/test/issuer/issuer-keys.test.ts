import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { AuthzUnavailableError } from "@authz/verify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createIssuerKeys, type IssuerKeys } from "../../src/issuer/issuer-keys.js";
import type { AuthzLogEvent } from "../../src/log.js";
import { type IssuerServer, serveDocuments, startIssuerServer } from "../support/issuer-server.js";
import { issuerKey, otherKey } from "../support/jwt.js";
import { createClock, type TestClock } from "../support/world.js";

const first = { ...issuerKey.publicJwk, kid: "first" };
const second = { ...otherKey.publicJwk, kid: "second" };
const metadataPath = "/.well-known/oauth-authorization-server";
const keySetPath = "/api/oauth/jwks";

let issuer: IssuerServer;
let clock: TestClock;
let events: AuthzLogEvent[];
let keys: IssuerKeys;

beforeEach(async () => {
  issuer = await startIssuerServer([first]);
  clock = createClock();
  events = [];
  keys = create({});
});

afterEach(() => issuer.close());

function create(changes: {
  discoveryProxyOrigin?: string;
  issuer?: string;
  timeoutSeconds?: number;
}): IssuerKeys {
  return createIssuerKeys({
    issuer: issuer.origin,
    discoveryProxyOrigin: undefined,
    fetch,
    timeoutSeconds: 5,
    clock,
    log: (event) => void events.push(event),
    ...changes,
  });
}

function keySetFetches(): number {
  return issuer.requests.filter((path) => path === keySetPath).length;
}

async function failure(promise: Promise<unknown>): Promise<AuthzUnavailableError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AuthzUnavailableError);
  return error as AuthzUnavailableError;
}

describe("the issuer's keys", () => {
  test("are found through the metadata, with one fetch of each document", async () => {
    expect((await keys.find("first"))?.asymmetricKeyType).toBe("ec");
    await keys.find("first");
    expect(issuer.requests).toEqual([metadataPath, keySetPath]);
    expect(events).toEqual([{ type: "issuer_keys_loaded", usable: 1, unusable: 0 }]);
  });

  test("are fetched once by a hundred requests at the same time", async () => {
    await Promise.all(Array.from({ length: 100 }, () => keys.find("first")));
    expect(keySetFetches()).toBe(1);
  });

  test("are fetched again for an unknown identifier, so a new key works at once", async () => {
    await keys.find("first");
    issuer.keys = [first, second];
    expect(await keys.find("second")).toBeDefined();
    expect(keySetFetches()).toBe(2);
  });

  test("are fetched again once per 30 seconds, however many unknown identifiers come", async () => {
    await keys.find("first");
    const ask = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 50 }, (_, index) => keys.find(`unknown-${index}`)));
    await ask();
    await ask();
    expect(keySetFetches()).toBe(2);
    clock.advance(29);
    await ask();
    expect(keySetFetches()).toBe(2);
    clock.advance(1);
    await ask();
    expect(keySetFetches()).toBe(3);
  });

  test("are fetched again after five minutes, and a removed key is gone then", async () => {
    await keys.find("first");
    issuer.keys = [second];
    clock.advance(299);
    expect(await keys.find("first")).toBeDefined();
    clock.advance(1);
    expect(await keys.find("first")).toBeUndefined();
    expect(keySetFetches()).toBe(2);
  });

  test("are fetched again behind the scenes while they are fresh", async () => {
    await keys.find("first");
    issuer.keys = [second];
    clock.advance(240);
    expect(await keys.find("first")).toBeDefined();
    await expect.poll(() => events.length).toBe(2);
    expect(await keys.find("second")).toBeDefined();
    expect(keySetFetches()).toBe(2);
  });

  test.each([240, 300, 3599])(
    "keep serving while the issuer hangs, %s seconds after they came",
    async (age) => {
      keys = create({ timeoutSeconds: 600 });
      await keys.find("first");
      issuer.handler = () => undefined;
      clock.advance(age);
      const found = await Promise.all([keys.find("first"), keys.find("first"), keys.load()]);
      expect(found.slice(0, 2)).toEqual([expect.anything(), expect.anything()]);
      expect(await keys.find("first")).toBeDefined();
    },
  );

  test("serve other requests while unknown identifiers wait for an issuer that hangs", async () => {
    keys = create({ timeoutSeconds: 600 });
    await keys.find("first");
    issuer.handler = () => undefined;
    let waiting = 50;
    const asked = Array.from({ length: waiting }, async (_, index) => {
      const key = await keys.find(`unknown-${index}`);
      waiting -= 1;
      return key;
    });
    await expect.poll(() => issuer.requests.length).toBe(3);
    expect(await keys.find("first")).toBeDefined();
    clock.advance(600);
    expect(await keys.find("first")).toBeDefined();
    expect(waiting).toBe(50);
    await issuer.close();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]));
  });

  test("keep serving for an hour while the issuer is away", async () => {
    await keys.find("first");
    issuer.handler = (_request, response) => response.writeHead(503).end();
    clock.advance(3599);
    expect(await keys.find("first")).toBeDefined();
    clock.advance(1);
    expect((await failure(keys.find("first"))).message).toContain("503");
    expect(events.filter(({ type }) => type === "issuer_unavailable")).toHaveLength(2);
  });

  test("are asked for once per 30 seconds while the issuer is away", async () => {
    await keys.find("first");
    issuer.handler = (_request, response) => response.writeHead(503).end();
    clock.advance(600);
    for (let index = 0; index < 20; index++) await keys.find("first");
    expect(issuer.requests.slice(2)).toEqual([metadataPath]);
  });

  test("are there again as soon as the issuer is", async () => {
    issuer.handler = (_request, response) => response.writeHead(503).end();
    await failure(keys.find("first"));
    issuer.handler = undefined;
    clock.advance(1);
    expect(await keys.find("first")).toBeDefined();
  });

  test("do not turn every request into a fetch while they were never there", async () => {
    issuer.handler = (_request, response) => response.writeHead(503).end();
    for (let index = 0; index < 20; index++) await failure(keys.find("first"));
    expect(issuer.requests).toEqual([metadataPath]);
  });

  test("may be none at all, which refuses instead of failing", async () => {
    issuer.keys = [];
    expect(await keys.find("first")).toBeUndefined();
    expect((await failure(keys.load())).message).toContain("no usable ES256 key");
  });
});

describe("through a discovery proxy", () => {
  test("both documents come from the proxy, and the issuer stays what it is", async () => {
    issuer.metadata = {
      issuer: "https://authz.example.com",
      jwks_uri: "https://authz.example.com/api/oauth/jwks",
    };
    keys = create({ issuer: "https://authz.example.com", discoveryProxyOrigin: issuer.origin });
    expect(await keys.find("first")).toBeDefined();
    expect(issuer.requests).toEqual([metadataPath, keySetPath]);
  });

  test("another issuer behind the proxy is refused", async () => {
    keys = create({ issuer: "https://authz.example.com", discoveryProxyOrigin: issuer.origin });
    expect((await failure(keys.load())).message).toContain("must be the same, character by character");
  });
});

test("the metadata of an issuer with a path is looked for where RFC 8414 puts it", async () => {
  keys = create({ issuer: `${issuer.origin}/tenant` });
  await failure(keys.load());
  expect(issuer.requests).toEqual([`${metadataPath}/tenant`]);
});

describe("a document is refused, and the message says where and why, when", () => {
  const cases: readonly (readonly [name: string, spoil: () => void, message: readonly string[]])[] = [
    [
      "it is not there",
      () => (issuer.handler = (_request, response) => response.writeHead(404).end()),
      [metadataPath, "404", "Check"],
    ],
    [
      "it is a redirect",
      () => (issuer.handler = (_request, response) => response.writeHead(302, { location: "/x" }).end()),
      [metadataPath, "302", "Redirects are not followed"],
    ],
    [
      "the key set is a redirect",
      () =>
        (issuer.handler = (request, response) =>
          request.url === keySetPath
            ? response.writeHead(307, { location: "/keys" }).end()
            : serveDocuments(issuer, request, response)),
      [keySetPath, "307"],
    ],
    [
      "it is a page",
      () => (issuer.handler = (_request, response) => response.end("<!doctype html>")),
      [metadataPath, "strict JSON"],
    ],
    [
      "it has a member twice",
      () => (issuer.handler = (_request, response) => response.end('{"issuer":"a","issuer":"b"}')),
      [metadataPath, "strict JSON"],
    ],
    [
      "it is larger than 256 KiB",
      () => (issuer.handler = (_request, response) => response.end(" ".repeat(256 * 1024 + 1))),
      [metadataPath, "more than 262144 bytes"],
    ],
    [
      "it never ends",
      () =>
        (issuer.handler = (_request, response) => {
          const send = (): void => {
            while (!response.destroyed && response.write(" ".repeat(16_384)));
          };
          response.on("drain", send);
          send();
        }),
      [metadataPath, "more than 262144 bytes"],
    ],
    [
      "the connection breaks",
      () =>
        (issuer.handler = (_request, response) => {
          response.writeHead(200, { "content-length": "100" });
          response.write("{");
          response.destroy();
        }),
      [metadataPath],
    ],
    [
      "it is another issuer's",
      () => (issuer.metadata["issuer"] = "https://other.example.com"),
      [metadataPath, "https://other.example.com", "must be the same, character by character"],
    ],
    ["it has no key set", () => delete issuer.metadata["jwks_uri"], [metadataPath, "jwks_uri"]],
    [
      "its key set is somewhere else",
      () => (issuer.metadata["jwks_uri"] = "https://other.example.com/jwks"),
      [metadataPath, "https://other.example.com/jwks"],
    ],
    ["its key set is no address", () => (issuer.metadata["jwks_uri"] = "jwks"), [metadataPath, '"jwks"']],
    [
      "the key set has no keys",
      () =>
        (issuer.handler = (request, response) =>
          request.url === keySetPath ? response.end("[]") : serveDocuments(issuer, request, response)),
      [keySetPath, "not a key set"],
    ],
  ];

  test.each(cases)("%s", async (_name, spoil, message) => {
    spoil();
    const error = await failure(keys.load());
    expect(error.message).toContain(issuer.origin);
    for (const part of message) expect(error.message).toContain(part);
    expect(error.reason).toBe("issuer_unavailable");
  });

  test("nothing listens at its address", async () => {
    await issuer.close();
    expect((await failure(keys.load())).message).toContain("ECONNREFUSED");
  });

  test("it takes longer than the timeout, even when fetch ignores its signal", async () => {
    keys = createIssuerKeys({
      issuer: issuer.origin,
      discoveryProxyOrigin: undefined,
      fetch: () => new Promise(() => {}),
      timeoutSeconds: 0.01,
      clock,
      log: () => {},
    });
    expect((await failure(keys.load())).message).toContain("did not answer within");
  });

  test("its body stalls for longer than the timeout", async () => {
    issuer.handler = (_request, response) => void response.write('{"issuer":');
    keys = create({ timeoutSeconds: 0.2 });
    expect((await failure(keys.load())).message).toContain("did not answer within");
  });
});

describe("a key is never used when it", () => {
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ format: "jwk" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });
  const cases: readonly (readonly [name: string, keys: readonly unknown[]])[] = [
    ["is an RSA key", [{ ...rsa, kid: "first" }]],
    ["is on another curve", [{ ...p384, kid: "first" }]],
    ["is a shared secret", [{ kty: "oct", k: "c2VjcmV0", kid: "first" }]],
    ["has its private half", [{ ...first, ...issuerKey.privateJwk }]],
    ["has an empty private half", [{ ...first, d: "" }]],
    ["is off the curve", [{ ...first, y: first.x }]],
    ["is for encryption", [{ ...first, use: "enc" }]],
    ["is for signing only", [{ ...first, key_ops: ["sign"] }]],
    ["is for another algorithm", [{ ...first, alg: "ES384" }]],
    ["has no identifier", [issuerKey.publicJwk]],
    ["shares its identifier with another key", [first, { ...second, kid: "first" }]],
    ["is there twice", [first, first]],
    ["shares its identifier with a foreign key", [first, { ...rsa, kid: "first" }]],
  ];

  test.each(cases)("%s", async (_name, unusable) => {
    issuer.keys = [...unusable, second];
    expect(await keys.find("first")).toBeUndefined();
    expect(await keys.find("second")).toBeDefined();
  });
});

test("a key set with something that is no key at all is not a key set", async () => {
  issuer.keys = [first, "key"];
  expect((await failure(keys.load())).message).toContain("not a key set");
});

test("load() answers from the cache while the keys are fresh", async () => {
  await keys.load();
  await keys.load();
  expect(keySetFetches()).toBe(1);
  clock.advance(300);
  await keys.load();
  expect(keySetFetches()).toBe(2);
});

test("a key found twice is the same object, imported once", async () => {
  const known: KeyObject | undefined = await keys.find("first");
  expect(await keys.find("first")).toBe(known);
});
