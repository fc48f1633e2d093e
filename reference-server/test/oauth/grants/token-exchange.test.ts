import { describe, expect, test } from "vitest";
import { decideExchange, type ExchangeInput } from "../../../src/oauth/grants/token-exchange.js";
import type { SubjectSituation } from "../../../src/oauth/grants/subject-token.js";
import { tokenTypes } from "../../../src/protocol/vocabulary.js";
import type { Resource } from "../../../src/store/resources.js";
import type { OwnTokenClaims } from "../../../src/oauth/tokens/verify-own-token.js";
import {
  client,
  decisionContext,
  describeVerdict,
  grantRecord,
  issuer,
  personRecord,
  resourceRecord,
  secondsAgo,
  userId,
} from "../../support/records.js";

const resource = resourceRecord({
  authorizationServer: "https://contracts.example",
  supportedScopes: ["contracts:read", "contracts:write"],
});
const input: ExchangeInput = {
  subject: { token: "t", type: tokenTypes.idToken },
  audience: resource.authorizationServer,
  resource: resource.resource,
  scope: "contracts:read",
};
const claims: OwnTokenClaims = {
  userId,
  clientId: client.id,
  grantId: grantRecord().id,
  scopes: [],
  jkt: undefined,
  jti: undefined,
  authentication: { authTime: null, amr: [] },
  expiresAt: 0,
};
const ada = personRecord(["authz:login", "contracts:read"]);

function subject(change: Partial<Extract<SubjectSituation, { kind: "signed" }>> = {}): SubjectSituation {
  return { kind: "signed", claims, grant: grantRecord(), person: ada, stopped: false, ...change };
}

interface Row {
  readonly name: string;
  readonly subject?: SubjectSituation;
  readonly resource?: Resource | undefined;
  readonly input?: Partial<ExchangeInput>;
  readonly key?: string;
  readonly outcome: string;
}

const rows: readonly Row[] = [
  { name: "one scope", outcome: "permit contracts:read" },
  { name: "no scope: everything granted", input: { scope: undefined }, outcome: "permit contracts:read" },
  {
    name: "this server itself, which leaves out what the person does not have",
    input: { audience: issuer, scope: "openid contracts:read contracts:write" },
    outcome: "permit contracts:read",
  },
  {
    name: "this server itself, for what the service does not know",
    input: { audience: issuer, scope: "contracts:read invoices:read" },
    outcome: "refuse invalid_scope scope_not_supported",
  },
  {
    name: "a scope twice",
    input: { scope: "contracts:read contracts:read" },
    outcome: "permit contracts:read",
  },
  {
    name: "an invalid token",
    subject: { kind: "invalid", reason: "subject_token_expired" },
    outcome: "refuse invalid_grant subject_token_expired",
  },
  {
    name: "an unknown grant",
    subject: subject({ grant: undefined }),
    outcome: "refuse invalid_grant unknown_grant",
  },
  {
    name: "a token of another client",
    subject: subject({ claims: { ...claims, clientId: "other" } }),
    outcome: "refuse invalid_grant foreign_client",
  },
  {
    name: "a grant of another client",
    subject: subject({ grant: grantRecord({ clientId: "other" }) }),
    outcome: "refuse invalid_grant foreign_client",
  },
  {
    name: "an access token",
    subject: subject({ claims: { ...claims, jti: "j", scopes: ["openid", "authz:login"] } }),
    outcome: "permit contracts:read",
  },
  {
    name: "an access token that was narrowed to less than authz:login",
    subject: subject({ claims: { ...claims, jti: "j", scopes: ["openid"] } }),
    outcome: "refuse invalid_grant login_scope_missing",
  },
  { name: "another key", key: "other", outcome: "refuse invalid_grant wrong_key" },
  {
    name: "a revoked grant",
    subject: subject({ grant: grantRecord({ revokedAt: secondsAgo(1) }) }),
    outcome: "refuse invalid_grant grant_revoked",
  },
  {
    name: "an expired grant",
    subject: subject({ grant: grantRecord({ expiresAt: secondsAgo(1) }) }),
    outcome: "refuse invalid_grant grant_expired",
  },
  {
    name: "an unknown person",
    subject: subject({ person: undefined }),
    outcome: "refuse invalid_grant unknown_user",
  },
  {
    name: "a paused person",
    subject: subject({ person: personRecord(["authz:login"], true, new Date(0)) }),
    outcome: "refuse access_denied user_paused",
  },
  { name: "what is stopped", subject: subject({ stopped: true }), outcome: "refuse access_denied stopped" },
  {
    name: "a disabled person",
    subject: subject({ person: personRecord(["authz:login"], false) }),
    outcome: "refuse invalid_grant user_disabled",
  },
  {
    name: "a person without authz:login",
    subject: subject({ person: personRecord(["contracts:read"]) }),
    outcome: "refuse invalid_grant login_permission_missing",
  },
  {
    name: "a public client's unbound grant, with a proof of any key",
    subject: subject({ grant: grantRecord({ jkt: null }) }),
    outcome: "refuse invalid_target bearer_not_allowed",
  },
  {
    name: "a grant that no key is bound to, where bearer tokens are allowed",
    subject: subject({ grant: grantRecord({ jkt: null }) }),
    resource: { ...resource, allowsBearer: true },
    outcome: "permit contracts:read",
  },
  { name: "an unknown resource", resource: undefined, outcome: "refuse invalid_target unknown_resource" },
  {
    name: "a disabled resource",
    resource: { ...resource, enabled: false },
    outcome: "refuse invalid_target resource_disabled",
  },
  {
    name: "the audience of another resource",
    input: { audience: "https://other.example" },
    outcome: "refuse invalid_target audience_mismatch",
  },
  {
    name: "an unsupported scope",
    input: { scope: "invoices:read" },
    outcome: "refuse invalid_scope scope_not_supported",
  },
  {
    name: "a scope not assigned",
    input: { scope: "contracts:write" },
    outcome: "refuse invalid_scope scope_not_assigned",
  },
  { name: "a malformed scope", input: { scope: "a  b" }, outcome: "refuse invalid_scope malformed_scope" },
  {
    name: "no scope and nothing granted",
    subject: subject({ person: personRecord() }),
    input: { scope: undefined },
    outcome: "refuse invalid_scope nothing_granted",
  },
];

describe("the decision over an exchange", () => {
  test.each(rows)("$name: $outcome", (row) => {
    const situation = {
      subject: row.subject ?? subject(),
      resource: "resource" in row ? row.resource : resource,
    };
    const verdict = decideExchange(situation, { ...input, ...row.input }, decisionContext(row.key));
    expect(describeVerdict(verdict, ({ scopes }) => scopes.join(" "))).toBe(row.outcome);
  });
});
