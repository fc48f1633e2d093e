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

const accepted: readonly { name: string; changes: Changes; issuer?: string }[] = [
  { name: "the smallest set", changes: {} },
  { name: "an issuer with a path", changes: {}, issuer: "https://authz.example.com/tenant" },
  { name: "an origin with a port", changes: at("https://contracts.example.com:8443") },
  { name: "loopback by address", changes: { ...at("http://127.0.0.1:3101"), allowInsecureLoopback: true } },
  {
    name: "loopback by another address",
    changes: { ...at("http://127.8.9.10:3101"), allowInsecureLoopback: true },
  },
  { name: "loopback by IPv6 address", changes: { ...at("http://[::1]:3101"), allowInsecureLoopback: true } },
  { name: "loopback by name", changes: { ...at("http://localhost:3101"), allowInsecureLoopback: true } },
  { name: "a loopback issuer", changes: { allowInsecureLoopback: true }, issuer: "http://127.0.0.1:3000" },
  {
    name: "several signing keys",
    changes: { signingKey: undefined, signingKeys: [signingKey, { kid: "2", ...otherKey }] },
  },
  {
    name: "a key with optional members",
    changes: {
      signingKey: {
        ...signingKey,
        publicJwk: { ...serviceKey.publicJwk, use: "sig", alg: "ES256", kid: "x" },
      },
    },
  },
  {
    name: "a provider",
    changes: {
      signingKey: undefined,
      signingKeys: { current: () => signingKey, jwks: () => ({ keys: [] }) },
    },
  },
  { name: "its default as the resource", changes: { resource: `${publicOrigin}/api` } },
  { name: "the whole origin as the resource", changes: { resource: publicOrigin } },
  { name: "the whole origin with a slash as the resource", changes: { resource: `${publicOrigin}/` } },
  { name: "a resource in another spelling", changes: { resource: "HTTPS://Contracts.Example.com:443/mcp" } },
  { name: "a resource deep below", changes: { resource: `${publicOrigin}/v1/contracts-2_0~a.b` } },
  { name: "a resource that ends with a slash", changes: { resource: `${publicOrigin}/mcp/` } },
  {
    name: "a resource beside an issuer on the same origin",
    changes: { resource: `${publicOrigin}/tenants/api` },
    issuer: `${publicOrigin}/tenant`,
  },
  { name: "no tolerance for clocks", changes: { clockToleranceSeconds: 0 } },
  { name: "a large tolerance for clocks", changes: { clockToleranceSeconds: 300 } },
  { name: "skills", changes: { skills: { items: [skill], agentSkillsIndex: true } } },
  { name: "skills that are loaded", changes: { skills: { load: () => [] } } },
  { name: "an index of loaded skills", changes: { skills: { load: () => [], agentSkillsIndex: true } } },
  { name: "no skills yet", changes: { skills: { items: [] } } },
  { name: "Bearer tokens", changes: { dpop: "allowed" } },
  { name: "verification in threads", changes: { verification: "concurrent" } },
  { name: "verification at once", changes: { verification: "synchronous" } },
  { name: "nonces", changes: { nonces: createNonceSource({ secret: "0123456789abcdef0123456789abcdef" }) } },
  { name: "a proxy", changes: { discoveryProxyOrigin: "https://discovery.example.com" } },
  { name: "a timeout", changes: { timeoutSeconds: 1.5 } },
  {
    name: "options that are undefined",
    changes: { skills: undefined, log: undefined, clock: undefined, fetch: undefined },
  },
];

describe("initAuthz accepts", () => {
  test.each(accepted)("$name", ({ changes, issuer: issuerUrl }) => {
    expect(() => init(changes, issuerUrl)).not.toThrow();
  });
});

const refused: readonly { name: string; changes: Changes; issuer?: unknown; message: string }[] = [
  { name: "an unknown option", changes: { publicOrgin: publicOrigin }, message: '"publicOrgin"' },
  { name: "a missing issuer", changes: {}, issuer: null, message: "issuer" },
  {
    name: "an issuer that is no URL",
    changes: {},
    issuer: "authz.example.com",
    message: 'issuer must be an absolute URL such as "https://authz.example.com"',
  },
  { name: "an issuer with a trailing slash", changes: {}, issuer: `${issuer}/`, message: "issuer" },
  { name: "an issuer with a query", changes: {}, issuer: `${issuer}?x=1`, message: "issuer" },
  { name: "an issuer with a fragment", changes: {}, issuer: `${issuer}#x`, message: "issuer" },
  { name: "an issuer with an empty fragment", changes: {}, issuer: `${issuer}#`, message: "issuer" },
  {
    name: "an issuer with credentials",
    changes: {},
    issuer: "https://u:p@authz.example.com",
    message: "issuer must not contain credentials",
  },
  { name: "an issuer in capitals", changes: {}, issuer: "https://AUTHZ.example.com", message: "issuer" },
  {
    name: "an issuer with its default port",
    changes: {},
    issuer: "https://authz.example.com:443",
    message: "issuer",
  },
  {
    name: "an http issuer",
    changes: {},
    issuer: "http://authz.example.com",
    message: "issuer must use https",
  },
  {
    name: "an http issuer off loopback in spite of the option",
    changes: { allowInsecureLoopback: true },
    issuer: "http://authz.example.com",
    message: "issuer must use https",
  },
  {
    name: "a loopback issuer without the option",
    changes: {},
    issuer: "http://127.0.0.1:3000",
    message: "allowInsecureLoopback: true",
  },
  {
    name: "an issuer of another scheme",
    changes: {},
    issuer: "ftp://authz.example.com",
    message: "issuer must use https",
  },
  {
    name: "the service as its own issuer",
    changes: {},
    issuer: publicOrigin,
    message: "issuer and publicOrigin",
  },
  { name: "no publicOrigin", changes: { publicOrigin: undefined }, message: "publicOrigin" },
  {
    name: "a publicOrigin with a slash",
    changes: at(`${publicOrigin}/`),
    message: `Write "${publicOrigin}"`,
  },
  { name: "a publicOrigin with a path", changes: at(`${publicOrigin}/app`), message: "publicOrigin" },
  {
    name: "an http publicOrigin",
    changes: at("http://contracts.example.com"),
    message: "publicOrigin must use https",
  },
  {
    name: "a loopback publicOrigin without the option",
    changes: at("http://127.0.0.1:3101"),
    message: "publicOrigin uses http",
  },
  {
    name: "a name that only looks like loopback",
    changes: { ...at("http://127.0.0.1.example.com"), allowInsecureLoopback: true },
    message: "publicOrigin",
  },
  {
    name: "every interface",
    changes: { ...at("http://0.0.0.0:3101"), allowInsecureLoopback: true },
    message: "publicOrigin",
  },
  {
    name: "a subdomain of localhost",
    changes: { ...at("http://a.localhost:3101"), allowInsecureLoopback: true },
    message: "publicOrigin",
  },
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
  ].map((resource) => ({
    name: `the resource ${JSON.stringify(resource)}`,
    changes: { resource },
    message: `such as "${publicOrigin}/api"`,
  })),
  ...["/:id", "/api/*", "/a//b", "/a%2Fb", "/a(b)", "/ä", "/a+b", '/a"b'].map((path) => ({
    name: `a resource with the path ${path}`,
    changes: { resource: publicOrigin + path },
    message: "resource must have a path of letters",
  })),
  ...["/tenant", "/tenant/api"].map((path) => ({
    name: `a resource that is the issuer's, ${path}`,
    changes: { resource: publicOrigin + path },
    issuer: `${publicOrigin}/tenant`,
    message: "resource belongs to the issuer",
  })),
  { name: "no clientId", changes: { clientId: undefined }, message: "clientId" },
  { name: "an empty clientId", changes: { clientId: "" }, message: "clientId" },
  { name: "no scopes", changes: { supportedScopes: [] }, message: "supportedScopes" },
  {
    name: "a scope with a space",
    changes: { supportedScopes: ["contracts read"] },
    message: "supportedScopes",
  },
  {
    name: "one scope with a capital letter among others",
    changes: { supportedScopes: ["contracts:read", "contracts:readAll"] },
    message:
      'supportedScopes has "contracts:readAll". A scope is "namespace:permission", both of a-z, 0-9 and -',
  },
  {
    name: "a scope that a shell would obey",
    changes: { supportedScopes: ["contracts:$(id)"] },
    message: "supportedScopes",
  },
  {
    name: "a skill with a scope that a shell would obey",
    changes: {
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
    message: "requiredScopes[0]",
  },
  { name: "a scope twice", changes: { supportedScopes: ["a:b", "a:b"] }, message: "supportedScopes" },
  {
    name: "more scopes than a token carries",
    changes: { supportedScopes: Array.from({ length: 600 }, (_, i) => `scope:${i}`) },
    message: "supportedScopes",
  },
  { name: "scopes as a string", changes: { supportedScopes: "contracts:read" }, message: "supportedScopes" },
  { name: "no signing key", changes: { signingKey: undefined }, message: "signingKey" },
  {
    name: "both kinds of signing keys",
    changes: { signingKeys: [signingKey] },
    message: "either signingKey or signingKeys",
  },
  {
    name: "an unknown member of the key",
    changes: { signingKey: { ...signingKey, alg: "ES256" } },
    message: 'signingKey has an unknown member "alg"',
  },
  { name: "a key without kid", changes: { signingKey: { ...serviceKey } }, message: "signingKey.kid" },
  {
    name: "a key with a space in its kid",
    changes: { signingKey: { ...signingKey, kid: "a b" } },
    message: "signingKey.kid",
  },
  {
    name: "a key without its private half",
    changes: { signingKey: { kid: "1", publicJwk: serviceKey.publicJwk } },
    message: "signingKey.privateJwk",
  },
  {
    name: "a key without its public half",
    changes: { signingKey: { kid: "1", privateJwk: serviceKey.privateJwk } },
    message: "signingKey.publicJwk",
  },
  {
    name: "a private key as the public half",
    changes: { signingKey: { ...signingKey, publicJwk: serviceKey.privateJwk } },
    message: "signingKey.publicJwk",
  },
  {
    name: "two halves of different pairs",
    changes: { signingKey: { ...signingKey, publicJwk: otherKey.publicJwk } },
    message: "does not belong",
  },
  {
    name: "a private key whose halves do not fit",
    changes: {
      signingKey: { ...signingKey, privateJwk: { ...otherKey.privateJwk, d: serviceKey.privateJwk.d } },
    },
    message: "signingKey.privateJwk",
  },
  {
    name: "an empty list of keys",
    changes: { signingKey: undefined, signingKeys: [] },
    message: "signingKeys",
  },
  {
    name: "two keys with one kid",
    changes: { signingKey: undefined, signingKeys: [signingKey, { ...otherKey, kid: signingKey.kid }] },
    message: "same kid twice",
  },
  {
    name: "a wrong key in the list",
    changes: { signingKey: undefined, signingKeys: [signingKey, {}] },
    message: "signingKeys[1].kid",
  },
  {
    name: "half a provider",
    changes: { signingKey: undefined, signingKeys: { current: () => signingKey } },
    message: "signingKeys",
  },
  { name: "no replay store", changes: { replayStore: undefined }, message: "replayStore" },
  { name: "a replay store that was not created", changes: { replayStore: inMemory }, message: "replayStore" },
  {
    name: "allowInsecureLoopback as a string",
    changes: { allowInsecureLoopback: "true" },
    message: "allowInsecureLoopback",
  },
  { name: "an empty resourceName", changes: { resourceName: "" }, message: "resourceName" },
  {
    name: "another verification",
    changes: { verification: "parallel" },
    message: 'verification must be "synchronous" or "concurrent"',
  },
  { name: "another dpop mode", changes: { dpop: "off" }, message: "dpop must be" },
  { name: "a secret instead of a nonce source", changes: { nonces: "secret" }, message: "createNonceSource" },
  {
    name: "a proxy with a path",
    changes: { discoveryProxyOrigin: "https://proxy.example.com/x" },
    message: "discoveryProxyOrigin",
  },
  {
    name: "an http proxy",
    changes: { discoveryProxyOrigin: "http://proxy.internal:8080" },
    message: "discoveryProxyOrigin",
  },
  { name: "a timeout of nothing", changes: { timeoutSeconds: 0 }, message: "timeoutSeconds" },
  { name: "a timeout that is no number", changes: { timeoutSeconds: Number.NaN }, message: "timeoutSeconds" },
  ...[-1, 301, 1.5, "5", Number.NaN].map((clockToleranceSeconds) => ({
    name: `a tolerance for clocks of ${JSON.stringify(clockToleranceSeconds)}`,
    changes: { clockToleranceSeconds },
    message: "clockToleranceSeconds must be a whole number",
  })),
  { name: "a fetch that is no function", changes: { fetch: "fetch" }, message: "fetch must be a function" },
  { name: "a clock that is no function", changes: { clock: 0 }, message: "clock must be a function" },
  { name: "a log that is no function", changes: { log: console }, message: "log must be a function" },
  { name: "skills as a list", changes: { skills: [skill] }, message: "skills must be an object" },
  { name: "skills without items", changes: { skills: {} }, message: "items or load" },
  {
    name: "skills of both kinds",
    changes: { skills: { items: [], load: () => [] } },
    message: "items or load",
  },
  {
    name: "an unknown member of skills",
    changes: { skills: { item: [] } },
    message: 'unknown member "item"',
  },
  { name: "a load that is no function", changes: { skills: { load: [] } }, message: "skills.load" },
  { name: "a wrong skill", changes: { skills: { items: [{ ...skill, title: "" }] } }, message: "[0].title" },
  {
    name: "an index that is neither on nor off",
    changes: { skills: { items: [], agentSkillsIndex: "yes" } },
    message: "agentSkillsIndex",
  },
  {
    name: "an index with a name it cannot have",
    changes: { skills: { items: [{ ...skill, id: "a--b" }], agentSkillsIndex: true } },
    message: '"a--b"',
  },
];

describe("initAuthz throws a TypeError that names the option for", () => {
  test.each(refused)("$name", ({ changes, issuer: issuerUrl, message }) => {
    const call = (): unknown => init(changes, issuerUrl === undefined ? issuer : issuerUrl);
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
