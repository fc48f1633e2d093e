import { lifetimes } from "../../protocol/vocabulary.js";
import type { Resource } from "../../store/resources.js";
import { authenticationClaims, lifetimeClaims, type TokenSubject } from "./claims.js";

/** The authorization server that redeems an assertion. */
export interface AssertionRecipient {
  readonly issuer: string;
  /** What it calls the client. */
  readonly clientId: string;
}

/** What an identity assertion is made for. */
export interface AssertionTarget {
  readonly issuer: string;
  readonly recipient: AssertionRecipient;
  readonly resource: Pick<Resource, "resource">;
  readonly scopes: readonly string[];
  /** The key of the proof that came with the request; without one the assertion is bound to no key. */
  readonly jkt: string | null;
  readonly jti: string;
  readonly now: Date;
  /** When what it rests on ends, in epoch seconds. */
  readonly until: number;
}

/**
 * The claims of an identity assertion (ID-JAG) for one registered service. What this server redeems itself names its grant, so that it
 * ends with that.
 */
export function identityAssertionClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  target: AssertionTarget,
): object {
  const { resource, recipient } = target;
  return {
    iss: target.issuer,
    sub: user.id,
    aud: recipient.issuer,
    client_id: recipient.clientId,
    ...(recipient.issuer === target.issuer && { sid: grant.id }),
    resource: resource.resource,
    scope: target.scopes.join(" "),
    ...(user.email !== null && { email: user.email }),
    ...(user.name !== null && { name: user.name }),
    ...authenticationClaims(grant),
    act: { sub: grant.clientId },
    ...(target.jkt !== null && { cnf: { jkt: target.jkt } }),
    jti: target.jti,
    ...lifetimeClaims(target.now, lifetimes.identityAssertion, target.until),
  };
}
