import { OAuthError } from "../../protocol/oauth-error.js";
import { requireParameter } from "../../protocol/parameters.js";
import { hashSecret, matchesCodeChallenge } from "../../protocol/secrets.js";
import { grantTypes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { AuthorizationCode } from "../../store/authorization-codes.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { otherTarget, readResource } from "../requested-resource.js";
import { type GrantContext, type GrantType, invalidGrant, type Verdict } from "./grant.js";
import { beginGrant, readDeviceName } from "./issue-tokens.js";
import { keyFault, resolvePerson } from "./person.js";
import { type Admission, admit } from "./service-access.js";

export interface CodeInput {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly resource: string | undefined;
  readonly deviceName: string | null;
}

/** The presented code, and the user it was issued for. */
export interface CodeSituation {
  readonly client: Client | undefined;
  readonly code: AuthorizationCode | undefined;
  readonly person: Permissions | undefined;
  readonly resource: Resource | undefined;
  readonly stopped: boolean;
}

export interface CodePermit extends Admission {
  readonly code: AuthorizationCode;
  readonly resource: Resource | undefined;
  readonly deviceName: string | null;
}

/**
 * Redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9449 §10).
 *
 * A presentation with the wrong redirect URI, verifier or key changes nothing: the code stays usable for its owner, and the grant
 * that it led to stays alive.
 */
export const authorizationCodeGrant: GrantType<CodeInput, CodeSituation, CodePermit> = {
  parameters: ["code", "redirect_uri", "code_verifier", "device_name"],

  parse: (parameters) => ({
    code: requireParameter(parameters, "code"),
    redirectUri: requireParameter(parameters, "redirect_uri"),
    codeVerifier: requireParameter(parameters, "code_verifier"),
    resource: readResource(parameters),
    deviceName: readDeviceName(parameters),
  }),

  async load(store, input, context) {
    const { clientId } = context;
    const found = await store.tokenRequests.findByCode({ hash: hashSecret(input.code), clientId });
    return { ...found, person: await resolvePerson(found.person, { ...context, store }) };
  },

  decide: decideCode,

  issue({ code, ...permit }, context) {
    const { respond, audit, basis, begun } = beginGrant(
      { ...code, ...permit, consented: code.scopes },
      context,
      {
        grantType: grantTypes.authorizationCode,
        nonce: code.nonce,
      },
    );
    return {
      respond,
      audit,
      basis,
      store: (redemptions, record) => redemptions.redeemCode({ ...record, ...begun, codeHash: code.hash }),
    };
  },
};

/** Decides over one presentation of a code. Pure. */
export function decideCode(
  { code, person, resource, stopped }: Omit<CodeSituation, "client">,
  input: CodeInput,
  { client, proof, now, issuer }: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<CodePermit> {
  if (code === undefined) return { kind: "refuse", error: invalidGrant("unknown_code") };
  const concern = { userId: code.userId, grantId: code.grantId };
  const refuse = (reason: string): Verdict<CodePermit> => ({
    kind: "refuse",
    error: invalidGrant(reason),
    concern,
  });

  if (code.clientId !== client.id) return refuse("foreign_client");
  if (code.redirectUri !== input.redirectUri) return refuse("wrong_redirect_uri");
  if (!matchesCodeChallenge(input.codeVerifier, code.codeChallenge)) return refuse("wrong_code_verifier");
  const wrongKey = keyFault(code.dpopJkt, proof);
  if (wrongKey !== undefined) return { kind: "refuse", error: wrongKey, concern };
  if (code.usedAt !== null) {
    if (code.grantId === null) return refuse("code_reused");
    return {
      kind: "revoke",
      error: invalidGrant("code_reused"),
      concern: { userId: code.userId, grantId: code.grantId },
      reason: "code_reused",
    };
  }
  if (code.expiresAt <= now) return refuse("code_expired");
  if (input.resource !== undefined && input.resource !== resource?.resource)
    return { kind: "refuse", error: otherTarget(), concern };
  const admitted = admit(code.scopes, {
    person,
    client,
    resource,
    jkt: proof?.thumbprint ?? null,
    stopped,
    issuer,
  });
  if (admitted instanceof OAuthError) return { kind: "refuse", error: admitted, concern };
  return { kind: "permit", permit: { code, resource, deviceName: input.deviceName, ...admitted } };
}
