import { type AuthzOptions, createNonceSource, initAuthz, inMemory } from "@authz/verify";
import { afterEach, describe, expect, test, vi } from "vitest";
import { otherKey, serviceKey } from "../support/jwt.js";
import { baseOptions, issuer, publicOrigin, signingKey } from "../support/world.js";

type Changes = Partial<Record<keyof AuthzOptions, unknown>> & Record<string, unknown>;

function init(changes: Changes, issuerUrl: unknown = issuer): unknown {
  const options: unknown = { ...baseOptions(), ...changes };
  return initAuthz(issuerUrl as string, options as AuthzOptions);
}

/** Moves a whole service to another origin. */
function at(origin: string): Changes {
  return { publicOrigin: origin };
}

const skill = {
  id: "list-contracts",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "Run it.",
};

const accepted: readonly (readonly [name: string, changes: Changes, issuer?: string])[] = [
  ["the smallest set", {}],
  ["an issuer with a path", {}, "https://authz.example.com/tenant"],
  ["an origin with a port", at("https://contracts.example.com:8443")],
  ["loopback by address", { ...at("http://127.0.0.1:3101"), allowInsecureLoopback: true }],
  ["loopback by another address", { ...at("http://127.8.9.10:3101"), allowInsecureLoopback: true }],
  ["loopback by IPv6 address", { ...at("http://[::1]:3101"), allowInsecureLoopback: true }],
  ["loopback by name", { ...at("http://localhost:3101"), allowInsecureLoopback: true }],
  ["a loopback issuer", { allowInsecureLoopback: true }, "http://127.0.0.1:3000"],
  ["several signing keys", { signingKey: undefined, signingKeys: [signingKey, { kid: "2", ...otherKey }] }],
  [
    "a key with optional members",
    {
      signingKey: {
        ...signingKey,
        publicJwk: { ...serviceKey.publicJwk, use: "sig", alg: "ES256", kid: "x" },
      },
    },
  ],
  [
    "a provider",
    {
      signingKey: undefined,
      signingKeys: { current: () => signingKey, jwks: () => ({ keys: [] }) },
    },
  ],
  ["its default as the resource", { resource: `${publicOrigin}/api` }],
  ["the whole origin as the resource", { resource: publicOrigin }],
  ["the whole origin with a slash as the resource", { resource: `${publicOrigin}/` }],
  ["a resource in another spelling", { resource: "HTTPS://Contracts.Example.com:443/mcp" }],
  ["a resource deep below", { resource: `${publicOrigin}/v1/contracts-2_0~a.b` }],
  ["a resource that ends with a slash", { resource: `${publicOrigin}/mcp/` }],
  [
    "a resource beside an issuer on the same origin",
    { resource: `${publicOrigin}/tenants/api` },
    `${publicOrigin}/tenant`,
  ],
  ["no tolerance for clocks", { clockToleranceSeconds: 0 }],
  ["a large tolerance for clocks", { clockToleranceSeconds: 300 }],
  ["skills", { skills: { items: [skill], agentSkillsIndex: true } }],
  ["skills that are loaded", { skills: { load: () => [] } }],
  ["an index of loaded skills", { skills: { load: () => [], agentSkillsIndex: true } }],
  ["no skills yet", { skills: { items: [] } }],
  ["Bearer tokens", { dpop: "allowed" }],
  ["verification in threads", { verification: "concurrent" }],
  ["verification at once", { verification: "synchronous" }],
  ["nonces", { nonces: createNonceSource({ secret: "0123456789abcdef0123456789abcdef" }) }],
  ["a proxy", { discoveryProxyOrigin: "https://discovery.example.com" }],
  ["a timeout", { timeoutSeconds: 1.5 }],
  ["options that are undefined", { skills: undefined, log: undefined, clock: undefined, fetch: undefined }],
];

describe("initAuthz accepts", () => {
  test.for(accepted)("%s", ([, changes, issuerUrl]) => {
    expect(() => init(changes, issuerUrl)).not.toThrow();
  });
});

type Refused = readonly [name: string, changes: Changes, message: string, issuer?: unknown];

const refused: readonly Refused[] = [
  ["an unknown option", { publicOrgin: publicOrigin }, '"publicOrgin"'],
  ["a missing issuer", {}, "issuer", null],
  [
    "an issuer that is no URL",
    {},
    'issuer must be an absolute URL such as "https://authz.example.com"',
    "authz.example.com",
  ],
  ["an issuer with a trailing slash", {}, "issuer", `${issuer}/`],
  ["an issuer with a query", {}, "issuer", `${issuer}?x=1`],
  ["an issuer with a fragment", {}, "issuer", `${issuer}#x`],
  ["an issuer with an empty fragment", {}, "issuer", `${issuer}#`],
  ["an issuer with credentials", {}, "issuer must not contain credentials", "https://u:p@authz.example.com"],
  ["an issuer in capitals", {}, "issuer", "https://AUTHZ.example.com"],
  ["an issuer with its default port", {}, "issuer", "https://authz.example.com:443"],
  ["an http issuer", {}, "issuer must use https", "http://authz.example.com"],
  [
    "an http issuer off loopback in spite of the option",
    { allowInsecureLoopback: true },
    "issuer must use https",
    "http://authz.example.com",
  ],
  ["a loopback issuer without the option", {}, "allowInsecureLoopback: true", "http://127.0.0.1:3000"],
  ["an issuer of another scheme", {}, "issuer must use https", "ftp://authz.example.com"],
  ["the service as its own issuer", {}, "issuer and publicOrigin", publicOrigin],
  ["no publicOrigin", { publicOrigin: undefined }, "publicOrigin"],
  ["a publicOrigin with a slash", at(`${publicOrigin}/`), `Write "${publicOrigin}"`],
  ["a publicOrigin with a path", at(`${publicOrigin}/app`), "publicOrigin"],
  ["an http publicOrigin", at("http://contracts.example.com"), "publicOrigin must use https"],
  ["a loopback publicOrigin without the option", at("http://127.0.0.1:3101"), "publicOrigin uses http"],
  [
    "a name that only looks like loopback",
    { ...at("http://127.0.0.1.example.com"), allowInsecureLoopback: true },
    "publicOrigin",
  ],
  ["every interface", { ...at("http://0.0.0.0:3101"), allowInsecureLoopback: true }, "publicOrigin"],
  [
    "a subdomain of localhost",
    { ...at("http://a.localhost:3101"), allowInsecureLoopback: true },
    "publicOrigin",
  ],
  ...[
    null,
    "",
    "/api",
    "urn:contracts",
    "https://other.example.com/api",
    `${publicOrigin}.evil.example/api`,
    `${publicOrigin}:8443/api`,
    `${publicOrigin.replace("https", "http")}/api`,
    `${publicOrigin.replace("https://", "https://u:p@")}/api`,
    `${publicOrigin}/api?x=1`,
    `${publicOrigin}/api?`,
    `${publicOrigin}/api#x`,
  ].map(
    (resource): Refused => [
      `the resource ${JSON.stringify(resource)}`,
      { resource },
      `such as "${publicOrigin}/api"`,
    ],
  ),
  ...["/:id", "/api/*", "/a//b", "/a%2Fb", "/a(b)", "/ä", "/a+b", '/a"b'].map(
    (path): Refused => [
      `a resource with the path ${path}`,
      { resource: publicOrigin + path },
      "resource must have a path of letters",
    ],
  ),
  ...["/tenant", "/tenant/api"].map(
    (path): Refused => [
      `a resource that is the issuer's, ${path}`,
      { resource: publicOrigin + path },
      "resource belongs to the issuer",
      `${publicOrigin}/tenant`,
    ],
  ),
  ["no clientId", { clientId: undefined }, "clientId"],
  ["an empty clientId", { clientId: "" }, "clientId"],
  ["no scopes", { supportedScopes: [] }, "supportedScopes"],
  ["a scope with a space", { supportedScopes: ["contracts read"] }, "supportedScopes"],
  [
    "one scope with a capital letter among others",
    { supportedScopes: ["contracts:read", "contracts:readAll"] },
    'supportedScopes has "contracts:readAll". A scope is "namespace:permission", both of a-z, 0-9 and -',
  ],
  ["a scope that a shell would obey", { supportedScopes: ["contracts:$(id)"] }, "supportedScopes"],
  [
    "a skill with a scope that a shell would obey",
    {
      skills: {
        items: [
          {
            id: "list-contracts",
            title: "List contracts",
            requiredScopes: ["contracts:read;id"],
            visibility: "DEFAULT",
            content: "text",
          },
        ],
      },
    },
    "requiredScopes[0]",
  ],
  ["a scope twice", { supportedScopes: ["a:b", "a:b"] }, "supportedScopes"],
  [
    "more scopes than a token carries",
    { supportedScopes: Array.from({ length: 600 }, (_, i) => `scope:${i}`) },
    "supportedScopes",
  ],
  ["scopes as a string", { supportedScopes: "contracts:read" }, "supportedScopes"],
  ["no signing key", { signingKey: undefined }, "signingKey"],
  ["both kinds of signing keys", { signingKeys: [signingKey] }, "either signingKey or signingKeys"],
  [
    "an unknown member of the key",
    { signingKey: { ...signingKey, alg: "ES256" } },
    'signingKey has an unknown member "alg"',
  ],
  ["a key without kid", { signingKey: { ...serviceKey } }, "signingKey.kid"],
  ["a key with a space in its kid", { signingKey: { ...signingKey, kid: "a b" } }, "signingKey.kid"],
  [
    "a key without its private half",
    { signingKey: { kid: "1", publicJwk: serviceKey.publicJwk } },
    "signingKey.privateJwk",
  ],
  [
    "a key without its public half",
    { signingKey: { kid: "1", privateJwk: serviceKey.privateJwk } },
    "signingKey.publicJwk",
  ],
  [
    "a private key as the public half",
    { signingKey: { ...signingKey, publicJwk: serviceKey.privateJwk } },
    "signingKey.publicJwk",
  ],
  [
    "two halves of different pairs",
    { signingKey: { ...signingKey, publicJwk: otherKey.publicJwk } },
    "does not belong",
  ],
  [
    "a private key whose halves do not fit",
    {
      signingKey: { ...signingKey, privateJwk: { ...otherKey.privateJwk, d: serviceKey.privateJwk.d } },
    },
    "signingKey.privateJwk",
  ],
  ["an empty list of keys", { signingKey: undefined, signingKeys: [] }, "signingKeys"],
  [
    "two keys with one kid",
    { signingKey: undefined, signingKeys: [signingKey, { ...otherKey, kid: signingKey.kid }] },
    "same kid twice",
  ],
  ["a wrong key in the list", { signingKey: undefined, signingKeys: [signingKey, {}] }, "signingKeys[1].kid"],
  ["half a provider", { signingKey: undefined, signingKeys: { current: () => signingKey } }, "signingKeys"],
  ["no replay store", { replayStore: undefined }, "replayStore"],
  ["a replay store that was not created", { replayStore: inMemory }, "replayStore"],
  ["allowInsecureLoopback as a string", { allowInsecureLoopback: "true" }, "allowInsecureLoopback"],
  ["an empty resourceName", { resourceName: "" }, "resourceName"],
  [
    "another verification",
    { verification: "parallel" },
    'verification must be "synchronous" or "concurrent"',
  ],
  ["another dpop mode", { dpop: "off" }, "dpop must be"],
  ["a secret instead of a nonce source", { nonces: "secret" }, "createNonceSource"],
  ["a proxy with a path", { discoveryProxyOrigin: "https://proxy.example.com/x" }, "discoveryProxyOrigin"],
  ["an http proxy", { discoveryProxyOrigin: "http://proxy.internal:8080" }, "discoveryProxyOrigin"],
  ["a timeout of nothing", { timeoutSeconds: 0 }, "timeoutSeconds"],
  ["a timeout that is no number", { timeoutSeconds: Number.NaN }, "timeoutSeconds"],
  ...[-1, 301, 1.5, "5", Number.NaN].map(
    (clockToleranceSeconds): Refused => [
      `a tolerance for clocks of ${JSON.stringify(clockToleranceSeconds)}`,
      { clockToleranceSeconds },
      "clockToleranceSeconds must be a whole number",
    ],
  ),
  ["a fetch that is no function", { fetch: "fetch" }, "fetch must be a function"],
  ["a clock that is no function", { clock: 0 }, "clock must be a function"],
  ["a log that is no function", { log: console }, "log must be a function"],
  ["skills as a list", { skills: [skill] }, "skills must be an object"],
  ["skills without items", { skills: {} }, "items or load"],
  ["skills of both kinds", { skills: { items: [], load: () => [] } }, "items or load"],
  ["an unknown member of skills", { skills: { item: [] } }, 'unknown member "item"'],
  ["a load that is no function", { skills: { load: [] } }, "skills.load"],
  ["a wrong skill", { skills: { items: [{ ...skill, title: "" }] } }, "[0].title"],
  [
    "an index that is neither on nor off",
    { skills: { items: [], agentSkillsIndex: "yes" } },
    "agentSkillsIndex",
  ],
  [
    "an index with a name it cannot have",
    { skills: { items: [{ ...skill, id: "a--b" }], agentSkillsIndex: true } },
    '"a--b"',
  ],
];

describe("initAuthz throws a TypeError that names the option for", () => {
  test.for(refused)("%s", ([, changes, message, issuerUrl]) => {
    const call = (): unknown => init(changes, issuerUrl);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test.each([undefined, null, "options", []])("options that are %j", (options) => {
    const call = (): unknown => initAuthz(issuer, options as unknown as AuthzOptions);
    expect(call).toThrow(TypeError);
  });
});

test("what initAuthz returns is frozen, and so are its routes", () => {
  const authz = initAuthz(issuer, baseOptions());
  expect(Object.isFrozen(authz)).toBe(true);
  expect(Object.isFrozen(authz.routes)).toBe(true);
  expect(authz.routes.every((route) => Object.isFrozen(route))).toBe(true);
});

test("options that change afterwards change nothing", () => {
  const supportedScopes = ["contracts:read"];
  const authz = initAuthz(issuer, { ...baseOptions(), supportedScopes });
  supportedScopes.push("contracts:write");
  expect(() => authz.definePolicy({ scopes: ["contracts:write"] })).toThrow(TypeError);
});

test("no message ever shows the private key", () => {
  const broken = { ...signingKey, privateJwk: { ...serviceKey.privateJwk, x: "broken" } };
  expect(() => init({ signingKey: broken })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(serviceKey.privateJwk.d) as unknown }),
  );
});

describe("in a serverless function, where no process knows what another has seen", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each(["AWS_LAMBDA_FUNCTION_NAME", "FUNCTIONS_WORKER_RUNTIME", "VERCEL_REGION"])(
    "as %s tells, a store in memory is refused",
    (name) => {
      vi.stubEnv(name, "contracts");
      expect(() => init({})).toThrow(TypeError);
      expect(() => init({})).toThrow(`inMemory(), but ${name} says`);
      expect(init({ allowInsecureLoopback: true })).toBeDefined();
      expect(init({ replayStore: { consume: () => true } })).toBeDefined();
    },
  );
});
