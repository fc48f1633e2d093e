import { describe, expect, it } from "vitest";
import {
  findOfferedScopeFaults,
  findParameterFaults,
  findPrefixFaults,
  findTemplateFaults,
} from "../../../src/registry/connector-rules.js";
import { coveredScopes, describeKinds, kinds } from "../../../src/connectors/kinds/kinds.js";
import { requestHeaders } from "../../../src/registry/fields.js";
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
  const cases: readonly {
    readonly name: string;
    readonly kind: keyof typeof kinds;
    readonly wanted: readonly string[];
    readonly listed: readonly string[] | undefined;
    readonly evidence?: typeof nothing;
    readonly covered: readonly string[];
  }[] = [
    {
      name: "everything when the answer names nothing",
      kind: "oauth2",
      wanted: ["a", "b"],
      listed: undefined,
      covered: ["a", "b"],
    },
    { name: "what is named", kind: "oauth2", wanted: ["a", "b"], listed: ["b", "c"], covered: ["b"] },
    { name: "nothing when the list is empty", kind: "oauth2", wanted: ["a"], listed: [], covered: [] },
    {
      name: "offline_access by a refresh token, openid by an ID token",
      kind: "microsoft-graph",
      wanted: ["openid", "offline_access", "User.Read"],
      listed: ["User.Read"],
      evidence: { refreshToken: true, idToken: true },
      covered: ["openid", "offline_access", "User.Read"],
    },
    {
      name: "neither of them without",
      kind: "oauth2",
      wanted: ["openid", "offline_access"],
      listed: ["a"],
      covered: [],
    },
    {
      name: "Google's long names",
      kind: "google",
      wanted: ["email", "profile"],
      listed: ["https://www.googleapis.com/auth/userinfo.email"],
      covered: ["email"],
    },
    {
      name: "Graph's long names, whatever their letters",
      kind: "microsoft-graph",
      wanted: ["User.Read", "Mail.Read"],
      listed: ["https://graph.microsoft.com/user.read"],
      covered: ["User.Read"],
    },
    {
      name: "what a wider scope of GitHub contains",
      kind: "github",
      wanted: ["read:user", "public_repo", "read:org"],
      listed: ["repo", "user"],
      covered: ["read:user", "public_repo"],
    },
  ];
  it.each(cases)("is $name", ({ kind, wanted, listed, evidence = nothing, covered }) => {
    expect(coveredScopes(wanted, listed, { quirks: kinds[kind].quirks, evidence })).toEqual(covered);
  });
});
