import { describe, expect, test } from "vitest";
import { decideServiceScopes, type WantedScopes } from "../../../src/oauth/grants/service-access.js";
import { OAuthError } from "../../../src/protocol/oauth-error.js";
import type { CallRule } from "../../../src/rules/call-rule.js";
import type { Permissions } from "../../../src/permissions/effective-scopes.js";
import { client, personRecord, resourceRecord } from "../../support/records.js";

const resource = resourceRecord({
  authorizationServer: "https://contracts.example",
  supportedScopes: ["contracts:read", "contracts:write"],
});
const reader = personRecord(["contracts:read"]);
const group = { key: "sales", provider: { id: "d", key: "hr", name: "HR" } };
/** A group may give the other scope, and its directory does not answer. */
const undecided: Permissions = {
  ...reader,
  undecided: [{ id: "g", scope: "contracts:write", group }] as unknown as Permissions["undecided"],
};

function decide(
  wanted: WantedScopes,
  change: {
    readonly permissions?: Permissions;
    readonly ceiling?: readonly string[];
    readonly rules?: readonly CallRule[];
  } = {},
): string {
  const { permissions = reader, ceiling, rules = [] } = change;
  const limits = ceiling === undefined ? { limited: false, ceiling: [] } : { limited: true, ceiling };
  const scopes = decideServiceScopes(
    { person: permissions, client: { ...client, ...limits }, resource: { ...resource, rules } },
    wanted,
  );
  return scopes instanceof OAuthError ? `${scopes.code} ${scopes.reason}` : scopes.join(" ");
}

describe("the scopes at a service", () => {
  test.each([
    ["everything that the person has", undefined, "contracts:read"],
    ["what was asked for", "contracts:read", "contracts:read"],
    ["a scope once", "contracts:read contracts:read", "contracts:read"],
    ["not what the person lacks", "contracts:write contracts:read", "contracts:read"],
    ["nothing", "contracts:write", "invalid_scope nothing_granted"],
    ["everything, when only scopes of this server are named", "openid", "contracts:read"],
    ["an unknown scope", "mail:read", "invalid_scope scope_not_supported"],
    ["a malformed one", "contracts:read  x", "invalid_scope malformed_scope"],
  ])("%s", (_name, wanted, is) => {
    expect(decide({ wanted })).toBe(is);
  });

  test("are no more than an assertion allows", () => {
    expect(decide({ wanted: undefined, asserted: ["contracts:read", "mail:read"] })).toBe("contracts:read");
    expect(decide({ wanted: undefined, asserted: [] })).toBe("invalid_scope nothing_granted");
  });

  test("are no more than the app may ever be given", () => {
    expect(decide({ wanted: undefined }, { ceiling: ["contracts:read"] })).toBe("contracts:read");
    expect(decide({ wanted: undefined }, { ceiling: ["contracts:write"] })).toBe(
      "invalid_scope nothing_granted",
    );
  });

  test("are none that a rule is about, because the service could be called past it", () => {
    const permissions = personRecord(["contracts:read", "contracts:write"]);
    const writing: CallRule = { methods: ["DELETE"], scopes: ["contracts:write"], ask: "self" };
    const all = { wanted: undefined };
    const decided = (rules: readonly CallRule[]) => decide(all, { permissions, rules });
    expect(decided([{ default: "allow" }])).toBe("contracts:read contracts:write");
    expect(decided([writing, { default: "allow" }])).toBe("contracts:read");
    expect(decided([{ path: "/public", allow: true }, { default: "allow" }])).toBe(
      "contracts:read contracts:write",
    );
    expect(decided([{ ask: "self" }, { default: "allow" }])).toBe("invalid_scope scopes_in_rules");
    expect(decided([writing, { default: "ask" }])).toBe("invalid_scope scopes_in_rules");
    expect(decided([writing, { scopes: ["contracts:write"], default: "refuse" }])).toBe("contracts:read");
    expect(
      decide({ wanted: "contracts:write" }, { permissions, rules: [writing, { default: "allow" }] }),
    ).toBe("invalid_scope scopes_in_rules");
    const reading = { permissions: reader, rules: [writing, { default: "allow" }] } as const;
    expect(decide({ wanted: "contracts:write" }, reading)).toBe("invalid_scope nothing_granted");
    expect(decide(all, { permissions: undecided, rules: [writing, { default: "allow" }] })).toBe(
      "contracts:read",
    );
  });

  test("wait for a directory only when nothing else is left", () => {
    expect(decide({ wanted: undefined }, { permissions: undecided })).toBe("contracts:read");
    expect(decide({ wanted: "contracts:write" }, { permissions: undecided })).toBe(
      "temporarily_unavailable scope_directory_unavailable",
    );
  });
});
