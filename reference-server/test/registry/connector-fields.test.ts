import { describe, expect, test } from "vitest";
import { z } from "zod";
import { faultsOf as faultsIn } from "../support/faults.js";
import { connectorRules } from "../../src/registry/connector-fields.js";

const issuer = "https://authz.acme.example";
const strict = connectorRules({ allowInsecureLoopback: false, issuer });
const development = connectorRules({ allowInsecureLoopback: true, issuer });

const notes = {
  key: "notes",
  name: "Notes",
  kind: "oauth2",
  issuer: "https://login.notes.example",
  authorizationEndpoint: "https://login.notes.example/authorize",
  tokenEndpoint: "https://login.notes.example/token",
  revocationEndpoint: "https://login.notes.example/revoke",
  accountEndpoint: null,
  tokenEndpointAuthMethod: "client_secret_basic",
  authorizationParameters: { prompt: "consent", audience: "https://api.notes.example" },
  clientId: "authz",
  clientSecret: "a secret",
  scopes: [
    { scope: "https://notes.example/read", description: "Read notes", required: true },
    { scope: "notes:write", byDefault: false },
  ],
  requiredScopes: ["notes:use"],
  requestPrefixes: ["https://api.notes.example/v1", "https://files.notes.example"],
  methods: ["GET", "POST"],
  requestHeaders: ["x-api-version"],
  pathTemplates: ["/v1/notes", "/v1/notes/{note}", "/"],
  limits: { requestBytes: 1024, responseBytes: 1024 ** 3, timeoutSeconds: 300, requestsPerMinute: 1 },
  rules: [{ methods: ["POST"], ask: "self" }, { default: "allow" }],
  enabled: true,
  owners: [],
};

/** Every fault with its place. */
function faultsOf(change: object, schema: z.ZodType = strict): readonly string[] {
  return faultsIn(schema, { ...notes, ...change });
}

test("a connector whose members are right passes, and its scopes are complete", () => {
  expect(faultsOf({})).toEqual([]);
  expect(strict.parse(notes).scopes).toEqual([
    { scope: "https://notes.example/read", description: "Read notes", required: true, byDefault: true },
    { scope: "notes:write", description: null, required: false, byDefault: false },
  ]);
});

test("its rules name no scopes", () => {
  const rules = [{ ask: "self", scopes: ["notes:use"] }, { default: "allow" }];
  expect(faultsOf({ rules })).toEqual([
    "rules.0.scopes: only goes with services: requests through a connector use the scopes of the third party",
  ]);
});

test("plain HTTP is for loopback in development only", () => {
  const local = {
    tokenEndpoint: "http://127.0.0.1:4000/token",
    requestPrefixes: ["http://127.0.0.1:4001/api"],
  };
  expect(faultsOf(local, development)).toEqual([]);
  expect(faultsOf(local)).toHaveLength(2);
  expect(faultsOf({ tokenEndpoint: "http://notes.example/token" }, development)).toHaveLength(1);
});

const ownOrigin = `must not be below ${issuer}: that is this server itself, not a service`;
const noUrl =
  "must be an https: URL without credentials, query or fragment; plain http: only on loopback, with AUTHZ_ALLOW_INSECURE_LOOPBACK=true";
const encoded =
  "must be an address that a request can have: a plain host, and no empty, dotted or encoded segments";
const noTemplate =
  "must be a path of whole segments, each a word or a name in braces, such as /repos/{owner}";
const setByServer = "is a parameter that the server sets itself";

describe("a request prefix is refused", () => {
  test.each<{ name: string; prefix: string; reason: string }>([
    { name: "when it is relative", prefix: "/v1", reason: noUrl },
    { name: "with credentials", prefix: "https://user@api.notes.example", reason: noUrl },
    { name: "with a query", prefix: "https://api.notes.example/v1?x=1", reason: noUrl },
    { name: "with an empty query", prefix: "https://api.notes.example/v1?", reason: noUrl },
    { name: "with a fragment", prefix: "https://api.notes.example/v1#x", reason: noUrl },
    {
      name: "with a slash at its end",
      prefix: "https://api.notes.example/v1/",
      reason: "must be written in normal form: https://api.notes.example/v1",
    },
    {
      name: "in capitals",
      prefix: "https://API.notes.example/v1",
      reason: "must be written in normal form: https://api.notes.example/v1",
    },
    {
      name: "with its default port",
      prefix: "https://api.notes.example:443",
      reason: "must be written in normal form: https://api.notes.example",
    },
    {
      name: "with a segment that climbs",
      prefix: "https://api.notes.example/v1/../admin",
      reason: "must be written in normal form: https://api.notes.example/admin",
    },
    {
      name: "with a backslash",
      prefix: String.raw`https://api.notes.example\v1`,
      reason: "must be written in normal form: https://api.notes.example/v1",
    },
    { name: "with an encoded slash", prefix: "https://api.notes.example/a%2Fb", reason: encoded },
    { name: "with an encoded backslash", prefix: "https://api.notes.example/a%5cb", reason: encoded },
    { name: "with an encoded dot", prefix: "https://api.notes.example/%2ehidden", reason: encoded },
    { name: "with an empty segment", prefix: "https://api.notes.example/v1//x", reason: encoded },
    { name: "at this server", prefix: `${issuer}/api`, reason: ownOrigin },
  ])("$name", ({ prefix, reason }) => {
    expect(faultsOf({ requestPrefixes: [prefix] })).toContain(`requestPrefixes.0: ${reason}`);
  });

  test.each<{ name: string; prefixes: readonly string[]; reason: string }>([
    {
      name: "that is there twice",
      prefixes: ["https://api.notes.example/v1", "https://api.notes.example/v1"],
      reason: '"https://api.notes.example/v1" appears twice',
    },
    {
      name: "below another one",
      prefixes: ["https://api.notes.example", "https://api.notes.example/v1"],
      reason: 'is allowed by "https://api.notes.example" already',
    },
    {
      name: "above another one",
      prefixes: ["https://api.notes.example/v1", "https://api.notes.example"],
      reason: 'allows what "https://api.notes.example/v1" allows already; keep one of them',
    },
  ])("$name", ({ prefixes, reason }) => {
    expect(faultsOf({ requestPrefixes: prefixes })).toEqual([`requestPrefixes.1: ${reason}`]);
  });

  test("not because another one begins with the same letters", () => {
    const requestPrefixes = ["https://api.notes.example/v1", "https://api.notes.example/v10"];
    expect(faultsOf({ requestPrefixes })).toEqual([]);
  });
});

describe("a connector is refused", () => {
  test.each<{ name: string; change: object; faults: readonly string[] }>([
    {
      name: "without a prefix",
      change: { requestPrefixes: [] },
      faults: ["requestPrefixes: must have at least 1 item"],
    },
    { name: "without a method", change: { methods: [] }, faults: ["methods: must have at least 1 item"] },
    { name: "with an unknown method", change: { methods: ["TRACE"] }, faults: ['methods.0: must be "GET"'] },
    {
      name: "with a method twice",
      change: { methods: ["GET", "GET"] },
      faults: ['methods.1: "GET" appears twice'],
    },
    {
      name: "with a scope twice",
      change: { scopes: [{ scope: "a" }, { scope: "a" }] },
      faults: ['scopes.1.scope: "a" appears twice'],
    },
    {
      name: "with a required scope that is not asked for",
      change: { scopes: [{ scope: "a", required: true, byDefault: false }] },
      faults: ["scopes.0.byDefault: must be true: a required scope is always asked for"],
    },
    {
      name: "with a scope that is two",
      change: { scopes: [{ scope: "a b" }] },
      faults: ["scopes.0.scope: must have no spaces and no quotes"],
    },
    {
      name: "with more scopes than there can be",
      change: { scopes: Array.from({ length: 101 }, (_, index) => ({ scope: `s${index}` })) },
      faults: ["scopes: must have at most 100 items"],
    },
    {
      name: "with more scopes than fit into an address",
      change: { scopes: Array.from({ length: 60 }, (_, index) => ({ scope: `${index}${"x".repeat(100)}` })) },
      faults: ["scopes: must have at most 6000 characters altogether"],
    },
    {
      name: "with a permission that is none",
      change: { requiredScopes: ["notes"] },
      faults: ['requiredScopes.0: must be "namespace:permission"'],
    },
    {
      name: "with a permission twice",
      change: { requiredScopes: ["notes:use", "notes:use"] },
      faults: ['requiredScopes.1: "notes:use" appears twice'],
    },
    {
      name: "with limits below what makes sense",
      change: { limits: { requestBytes: 1023, responseBytes: 0, timeoutSeconds: 0, requestsPerMinute: 0 } },
      faults: [
        "limits.requestBytes",
        "limits.responseBytes",
        "limits.timeoutSeconds",
        "limits.requestsPerMinute",
      ],
    },
    {
      name: "with limits above what is possible",
      change: {
        limits: {
          requestBytes: 1024 ** 3 + 1,
          responseBytes: 1e12,
          timeoutSeconds: 301,
          requestsPerMinute: 100_001,
        },
      },
      faults: [
        "limits.requestBytes",
        "limits.responseBytes",
        "limits.timeoutSeconds",
        "limits.requestsPerMinute",
      ],
    },
    {
      name: "with half a second",
      change: { limits: { ...notes.limits, timeoutSeconds: 0.5 } },
      faults: ["limits.timeoutSeconds"],
    },
    {
      name: "with an authorization method that is none",
      change: { tokenEndpointAuthMethod: "private_key_jwt" },
      faults: ["tokenEndpointAuthMethod"],
    },
    {
      name: "with an endpoint on plain HTTP",
      change: { authorizationEndpoint: "http://login.notes.example/authorize" },
      faults: [`authorizationEndpoint: ${noUrl}`],
    },
  ])("$name", ({ change, faults }) => {
    const found = faultsOf(change);
    expect(found).toHaveLength(faults.length);
    for (const [index, fault] of faults.entries()) expect(found[index]).toContain(fault);
  });
});

describe("a path template is refused", () => {
  test.each<{ name: string; templates: readonly string[]; fault: string }>([
    { name: "without a slash at its beginning", templates: ["v1"], fault: `0: ${noTemplate}` },
    { name: "with a slash at its end", templates: ["/v1/"], fault: `0: ${noTemplate}` },
    { name: "with an empty segment", templates: ["/v1//x"], fault: `0: ${noTemplate}` },
    { name: "with half a segment in braces", templates: ["/v1/{id}.json"], fault: `0: ${noTemplate}` },
    { name: "with braces that do not close", templates: ["/v1/{id"], fault: `0: ${noTemplate}` },
    { name: "with empty braces", templates: ["/v1/{}"], fault: `0: ${noTemplate}` },
    { name: "with a query", templates: ["/v1?x=1"], fault: `0: ${noTemplate}` },
    { name: "that climbs", templates: ["/v1/../x"], fault: `0: ${noTemplate}` },
    { name: "with a space", templates: ["/v1/a b"], fault: `0: ${noTemplate}` },
    {
      name: "that stands for the same paths as another one",
      templates: ["/v1/{id}", "/v1/{name}"],
      fault: '1: stands for the same paths as "/v1/{id}"',
    },
  ])("$name", ({ templates, fault }) => {
    expect(faultsOf({ pathTemplates: templates })).toEqual([`pathTemplates.${fault}`]);
  });
});

test.each([
  ["Authorization", "is a header that is never sent on: it says who is calling or how the connection works"],
  [
    "x-http-method-override",
    "is a header that is never sent on: it says who is calling or how the connection works",
  ],
  ["x api", "must be the name of a header, such as x-api-version"],
])("the request header %s is refused", (name, fault) => {
  expect(faultsOf({ requestHeaders: ["x-one", name] })).toEqual([`requestHeaders.1: ${fault}`]);
});

describe("a parameter of the authorization request is refused", () => {
  const badName = "must have a name of at most 100 letters, digits, dots, hyphens and underscores";
  test.each<{ name: string; parameters: Record<string, string>; fault: string }>([
    ...["client_id", "redirect_uri", "state", "scope", "code_challenge", "nonce", "response_mode"].map(
      (name) => ({
        name: `that is ${name}`,
        parameters: { [name]: "x" },
        fault: `.${name}: ${setByServer}`,
      }),
    ),
    {
      name: "that is one of the protocol in other letters",
      parameters: { State: "x" },
      fault: `.State: ${setByServer}`,
    },
    {
      name: "with the scopes of a bot's user",
      parameters: { user_scope: "x" },
      fault: `.user_scope: ${setByServer}`,
    },
    { name: "whose name is none", parameters: { "a b": "x" }, fault: `.a b: ${badName}` },
    { name: "without a name", parameters: { "": "x" }, fault: `.: ${badName}` },
    {
      name: "with a line break",
      parameters: { prompt: "a\nb" },
      fault: ".prompt: must not contain control characters",
    },
    {
      name: "that is too long",
      parameters: { prompt: "x".repeat(1001) },
      fault: ".prompt: must have at most 1000 characters",
    },
    {
      name: "when there are too many",
      parameters: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`p${index}`, "x"])),
      fault: ": must have at most 20 items",
    },
  ])("$name", ({ parameters, fault }) => {
    expect(faultsOf({ authorizationParameters: parameters })).toEqual([`authorizationParameters${fault}`]);
  });
});
