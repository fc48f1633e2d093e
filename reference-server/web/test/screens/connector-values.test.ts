import type { Connector, ConnectorKind } from "@admin/connectors";
import { describe, expect, test } from "vitest";
import {
  type ConnectorValues,
  hasBraces,
  newRows,
  splitScopes,
  startValues,
  toConnectorPatch,
  toConnectorValues,
  toNewConnector,
} from "../../src/screens/connectors/connector-values";

const defaults: ConnectorKind["defaults"] = {
  issuer: null,
  authorizationEndpoint: "https://notes.example/authorize",
  tokenEndpoint: "https://notes.example/token",
  revocationEndpoint: null,
  accountEndpoint: null,
  tokenEndpointAuthMethod: "client_secret_basic",
  authorizationParameters: { prompt: "consent", claims: "a=b" },
  scopes: [{ scope: "notes:read", description: null, required: true, byDefault: true }],
  requestPrefixes: ["https://api.notes.example/v1"],
  methods: ["GET", "HEAD"],
  requestHeaders: ["x-api-version"],
  pathTemplates: ["/v1/notes/{note}"],
};
const github: ConnectorKind = {
  kind: "github",
  name: "GitHub",
  description: "",
  defaults,
  registration: "",
  registrationUrl: null,
};
const start = startValues(github);
const stored: Connector = {
  ...defaults,
  authorizationEndpoint: "https://notes.example/authorize",
  tokenEndpoint: "https://notes.example/token",
  key: "notes",
  name: "Notes",
  kind: "github",
  clientId: "authz",
  hasClientSecret: true,
  keyReadable: true,
  requiredScopes: ["notes:use"],
  limits: { requestBytes: 1024, responseBytes: 10_485_760, timeoutSeconds: 30, requestsPerMinute: 600 },
  rules: [],
  enabled: true,
  owners: [],
  connections: { connected: 0, reconnectRequired: 0, disconnecting: 0 },
  test: null,
  callbackUrl: "https://auth.example/connections/callback/notes",
  createdAt: "2026-11-20T12:00:00.000Z",
  updatedAt: "2026-11-20T12:00:00.000Z",
  version: 1,
};

describe("the initial values of a connector's form", () => {
  test("are the defaults of its kind, with the kind as name and key", () => {
    expect(start).toMatchObject({ key: "github", name: "GitHub", requestMebibytes: "10", issuer: "" });
    expect(start.authorizationParameters).toEqual(["prompt=consent", "claims=a=b"]);
    expect(start.scopes).toEqual([{ scope: "notes:read", description: "", required: true, byDefault: true }]);
  });

  test("have neither name nor key for an unknown third party", () => {
    expect(startValues({ ...github, kind: "oauth2" })).toMatchObject({ key: "", name: "" });
  });
});

describe("the request of a connector's form", () => {
  test("equals the stored values without changes", () => {
    const { key, kind: _kind, hasClientSecret: _secret, ...rest } = stored;
    const patch = toConnectorPatch(toConnectorValues(stored));
    expect(rest).toMatchObject(patch);
    expect(Object.keys(patch)).not.toContain("clientSecret");
    expect(toNewConnector("github", { ...start, key: ` ${key} ` })).toMatchObject({ key, kind: "github" });
  });

  test.each<{ name: string; change: Partial<ConnectorValues>; sent: object }>([
    {
      name: "parameters split at the first equals sign",
      change: { authorizationParameters: ["access_type = offline", "", "claims=a=b", "flag"] },
      sent: { authorizationParameters: { access_type: "offline", claims: "a=b", flag: "" } },
    },
    {
      name: "limits in bytes, without empty ones",
      change: { requestMebibytes: "0.5", responseMebibytes: "", timeoutSeconds: "5" },
      sent: { limits: { requestBytes: 524_288, timeoutSeconds: 5, requestsPerMinute: 600 } },
    },
    {
      name: "scopes without empty rows, required ones preselected",
      change: {
        scopes: [
          { scope: " a ", description: " ", required: true, byDefault: false },
          { scope: "", description: "", required: false, byDefault: true },
        ],
      },
      sent: { scopes: [{ scope: "a", description: null, required: true, byDefault: true }] },
    },
    {
      name: "no empty addresses",
      change: { revocationEndpoint: " ", requestPrefixes: ["", " https://api.notes.example "] },
      sent: { revocationEndpoint: null, requestPrefixes: ["https://api.notes.example"] },
    },
    {
      name: "methods in one order",
      change: { methods: ["DELETE", "GET"] },
      sent: { methods: ["GET", "DELETE"] },
    },
    { name: "a typed secret", change: { clientSecret: "new" }, sent: { clientSecret: "new" } },
  ])("has $name", ({ change, sent }) => {
    expect(toConnectorPatch({ ...start, ...change })).toMatchObject(sent);
  });

  test("has no secret for a client without authentication", () => {
    const values = { ...start, clientSecret: "typed before", tokenEndpointAuthMethod: "none" } as const;
    expect(Object.keys(toConnectorPatch(values))).not.toContain("clientSecret");
  });
});

test("an address with braces is incomplete", () => {
  expect(hasBraces("https://login.example/{tenant id}/v2.0")).toBe(true);
  expect(hasBraces("https://login.example/acme/v2.0")).toBe(false);
});

test("a pasted list adds a row for each new scope", () => {
  const scopes = splitScopes(" repo, read:org\nrepo\tnotes:read ");
  expect(scopes).toEqual(["repo", "read:org", "repo", "notes:read"]);
  expect(newRows(scopes, start.scopes).map(({ scope }) => scope)).toEqual(["repo", "read:org"]);
});
