import { describe, expect, test } from "vitest";
import { errorOf } from "../support/expect.js";
import type { JwtDraft } from "../support/jwt.js";
import {
  actorRefusals,
  changes,
  confirmationRefusals,
  statusRefusals,
  formRefusals,
  identifierRefusals,
  type JwtRefusal,
  lifetimeRefusals,
  scopeRefusals,
} from "../support/jwt-refusals.js";
import { createWorld, publicOrigin, resource, startSeconds } from "../support/world.js";

const { set, drop, setHeader, changeText } = changes;

const accepted: readonly { name: string; change: (draft: JwtDraft) => void }[] = [
  { name: "as it is", change: () => {} },
  { name: "with its type in capitals", change: setHeader("typ", "OAUTH-ID-JAG+JWT") },
  { name: "with its type as a whole media type", change: setHeader("typ", "application/oauth-id-jag+jwt") },
  { name: "with the audience as a list of one", change: set("aud", [publicOrigin]) },
  { name: "with the resource as a list of one", change: set("resource", [resource]) },
  {
    name: "without a name and an email address",
    change: (draft) => (drop("name")(draft), drop("email")(draft)),
  },
  { name: "without an actor", change: drop("act") },
  { name: "made 30 seconds ahead of our clock", change: set("iat", startSeconds + 30) },
  { name: "in its last second", change: set("exp", startSeconds + 1) },
  { name: "with unknown claims", change: set("https://example.com/claim", { deep: [1] }) },
  { name: "with a scope that this service does not know", change: set("scope", "contracts:read other:read") },
  {
    name: "with header members that are never followed",
    change: setHeader("jku", "https://evil.example/keys"),
  },
];

const refusals: readonly JwtRefusal[] = [
  ...formRefusals,
  ...lifetimeRefusals(startSeconds, 300),
  ...identifierRefusals("sub", "jwt_subject"),
  ...identifierRefusals("jti", "jwt_id"),
  ...confirmationRefusals,
  ...statusRefusals,
  ...actorRefusals,
  ...scopeRefusals,
  {
    name: "is larger than 16 KiB",
    change: changeText((text) => text + "x".repeat(16 * 1024)),
    reason: "jwt_malformed",
  },
  { name: "is an access token", change: setHeader("typ", "at+jwt"), reason: "jwt_type" },
  { name: "is a service assertion", change: setHeader("typ", "authz-skills+jwt"), reason: "jwt_type" },
  { name: "has no issuer", change: drop("iss"), reason: "jwt_issuer" },
  { name: "is from another issuer", change: set("iss", "https://evil.example"), reason: "jwt_issuer" },
  {
    name: "is from an issuer with a slash more",
    change: set("iss", "https://authz.example.com/"),
    reason: "jwt_issuer",
  },
  { name: "is from this service itself", change: set("iss", publicOrigin), reason: "jwt_issuer" },
  { name: "has no audience", change: drop("aud"), reason: "jwt_audience" },
  { name: "is for another service", change: set("aud", "https://other.example.com"), reason: "jwt_audience" },
  { name: "is for the resource, not the issuer", change: set("aud", resource), reason: "jwt_audience" },
  {
    name: "is for two services",
    change: set("aud", [publicOrigin, "https://other.example.com"]),
    reason: "jwt_audience",
  },
  { name: "is for an empty list", change: set("aud", []), reason: "jwt_audience" },
  { name: "has no client", change: drop("client_id"), reason: "jwt_client" },
  { name: "is for another client", change: set("client_id", "other-cli"), reason: "jwt_client" },
  { name: "has no resource", change: drop("resource"), reason: "jwt_resource" },
  {
    name: "is for another resource",
    change: set("resource", `${publicOrigin}/admin`),
    reason: "jwt_resource",
  },
  {
    name: "is for two resources",
    change: set("resource", [resource, `${publicOrigin}/admin`]),
    reason: "jwt_resource",
  },
  { name: "has an email address that is no string", change: set("email", ["a@b"]), reason: "jwt_profile" },
  { name: "has a name with a control character", change: set("name", "a\u0007"), reason: "jwt_profile" },
  { name: "is not bound to a key", change: drop("cnf"), reason: "assertion_not_bound" },
  {
    name: "is bound to another key",
    change: set("cnf", { jkt: "A".repeat(43) }),
    reason: "proof_key_mismatch",
  },
];

describe("an identity assertion is accepted", () => {
  test.each(accepted)("$name", async ({ change }) => {
    const world = createWorld();
    const answer = await world.exchange({ assertion: world.assertion(change) });
    expect(world.reasons()).toEqual([]);
    expect(answer.status).toBe(200);
  });
});

describe("an identity assertion is refused when it", () => {
  test.each(refusals)("$name", async ({ change, reason }) => {
    const world = createWorld();
    const answer = await world.exchange({ assertion: world.assertion(change) });
    expect(world.reasons()).toEqual([reason]);
    expect([answer.status, errorOf(answer)]).toEqual([400, "invalid_grant"]);
  });
});
