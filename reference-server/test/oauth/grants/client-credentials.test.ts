import { describe, expect, test } from "vitest";
import { decideMachine } from "../../../src/oauth/grants/client-credentials.js";
import type { Resource } from "../../../src/store/resources.js";
import { decisionContext, describeVerdict, resourceRecord } from "../../support/records.js";

const resource = resourceRecord({
  authorizationServer: "https://contracts.example",
  supportedScopes: ["contracts:read", "contracts:write"],
});

const rows: readonly {
  name: string;
  stopped?: boolean;
  held?: readonly string[];
  resource?: Resource | undefined;
  scope?: string;
  outcome: string;
}[] = [
  { name: "no scope asked for: all it has there", outcome: "permit contracts:read" },
  { name: "a scope it has", scope: "contracts:read", outcome: "permit contracts:read" },
  {
    name: "a scope it has not",
    scope: "contracts:write",
    outcome: "refuse invalid_scope scope_not_assigned",
  },
  {
    name: "a scope that the resource does not know",
    scope: "invoices:read",
    outcome: "refuse invalid_scope scope_not_assigned",
  },
  {
    name: "one of two",
    scope: "contracts:read contracts:write",
    outcome: "refuse invalid_scope scope_not_assigned",
  },
  { name: "a malformed scope", scope: "a  b", outcome: "refuse invalid_scope malformed_scope" },
  {
    name: "nothing it has there",
    held: ["invoices:read"],
    outcome: "refuse invalid_scope nothing_granted",
  },
  { name: "an unknown resource", resource: undefined, outcome: "refuse invalid_target unknown_resource" },
  {
    name: "a disabled resource",
    resource: { ...resource, enabled: false },
    outcome: "refuse invalid_target resource_disabled",
  },
  { name: "what is stopped", stopped: true, outcome: "refuse access_denied stopped" },
];

describe("the decision over a machine", () => {
  test.each(rows)("$name: $outcome", (row) => {
    const machineScopes = row.held ?? ["contracts:read", "invoices:read"];
    const situation = {
      machineScopes,
      resource: "resource" in row ? row.resource : resource,
      statusIndex: 7,
      stopped: row.stopped === true,
    };
    const input = { resource: resource.resource, scope: row.scope };
    const verdict = decideMachine(situation, input, decisionContext());
    expect(describeVerdict(verdict, ({ scopes }) => scopes.join(" "))).toBe(row.outcome);
  });

  test("without a proof: refuse", () => {
    const situation = {
      machineScopes: ["contracts:read"],
      statusIndex: 7,
      resource,
      stopped: false,
    };
    const input = { resource: resource.resource, scope: undefined };
    const verdict = decideMachine(situation, input, { ...decisionContext(), proof: undefined });
    expect(describeVerdict(verdict, String)).toBe("refuse invalid_dpop_proof missing_proof");
  });
});
