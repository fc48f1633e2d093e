import { describe, expect, it } from "vitest";
import {
  findOfferedScopeFaults,
  findParameterFaults,
  findPrefixFaults,
  findTemplateFaults,
} from "../../../src/registry/connector-rules.js";
import { coveredScopes, describeKinds, kinds } from "../../../src/connectors/kinds/kinds.js";
import { requestHeaders } from "../../../src/objects/fields.js";
import { connectorKinds } from "../../../src/store/connectors.js";

const all = describeKinds("en").map((kind) => [kind.kind, kind] as const);

describe.each(all)("the suggestions for %s", (kind, { defaults, registrationUrl }) => {
  it("keep to the rules for connectors", () => {
    expect(findPrefixFaults(defaults.requestPrefixes, "https://authz.acme.example")).toEqual([]);
    expect(requestHeaders.parse(defaults.requestHeaders)).toEqual(defaults.requestHeaders);
    expect(findTemplateFaults(defaults.pathTemplates)).toEqual([]);
    expect(findParameterFaults(defaults.authorizationParameters)).toEqual([]);
    expect(findOfferedScopeFaults(defaults.scopes)).toEqual([]);
  });

  it("are https addresses, and reading only", () => {
    const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, accountEndpoint } = defaults;
    const endpoints = [issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, accountEndpoint];
    const addresses = [...endpoints, registrationUrl, kinds[kind].removalUrl].filter(
      (address) => address !== null,
    );
    expect(addresses.filter((address) => new URL(address).protocol !== "https:")).toEqual([]);
    expect(defaults.methods).toEqual(["GET", "HEAD"]);
  });

  it("say what each scope allows, in both languages", () => {
    const german = describeKinds("de").find((candidate) => candidate.kind === kind)?.defaults.scopes ?? [];
    for (const [index, { description }] of defaults.scopes.entries()) {
      expect(description).toBeTruthy();
      expect(german[index]?.description).toBeTruthy();
      expect(german[index]?.description).not.toBe(description);
    }
  });

  it("name paths that are below a prefix", () => {
    const paths = defaults.requestPrefixes.map((prefix) => new URL(prefix).pathname.replace(/\/$/, ""));
    for (const template of defaults.pathTemplates) {
      const covers = (path: string) =>
        template.startsWith(path) || path.startsWith(template.replace(/\/\{.*$/, ""));
      expect({ template, below: paths.some(covers) }).toEqual({ template, below: true });
    }
  });
});

it("describes every kind", () => {
  expect(all.map(([kind]) => kind)).toEqual(connectorKinds);
});

describe("what was granted", () => {
  const nothing = { refreshToken: false, idToken: false };
  const cases: [
    name: string,
    kind: keyof typeof kinds,
    wanted: readonly string[],
    listed: readonly string[] | undefined,
    covered: readonly string[],
    evidence?: typeof nothing,
  ][] = [
    ["everything when the answer names nothing", "oauth2", ["a", "b"], undefined, ["a", "b"]],
    ["what is named", "oauth2", ["a", "b"], ["b", "c"], ["b"]],
    ["nothing when the list is empty", "oauth2", ["a"], [], []],
    [
      "offline_access by a refresh token, openid by an ID token",
      "microsoft-graph",
      ["openid", "offline_access", "User.Read"],
      ["User.Read"],
      ["openid", "offline_access", "User.Read"],
      { refreshToken: true, idToken: true },
    ],
    ["neither of them without", "oauth2", ["openid", "offline_access"], ["a"], []],
    [
      "Google's long names",
      "google",
      ["email", "profile"],
      ["https://www.googleapis.com/auth/userinfo.email"],
      ["email"],
    ],
    [
      "Graph's long names, whatever their letters",
      "microsoft-graph",
      ["User.Read", "Mail.Read"],
      ["https://graph.microsoft.com/user.read"],
      ["User.Read"],
    ],
    [
      "what a wider scope of GitHub contains",
      "github",
      ["read:user", "public_repo", "read:org"],
      ["repo", "user"],
      ["read:user", "public_repo"],
    ],
  ];
  it.each(cases)("is %s", (_name, kind, wanted, listed, covered, evidence = nothing) => {
    expect(coveredScopes(wanted, listed, { quirks: kinds[kind].quirks, evidence })).toEqual(covered);
  });
});
