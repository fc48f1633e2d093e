import { lifetimes } from "../../protocol/vocabulary.js";
import type { User } from "../../store/users.js";
import { authenticationClaims, lifetimeClaims } from "./claims.js";

/** What a person's access token for one service says. */
export interface ServiceToken {
  readonly issuer: string;
  readonly user: User;
  /** The client's id at this server. */
  readonly clientId: string;
  /** The identifier of the one service that takes it. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The key of the proof that came with the request; `null`: a Bearer token. */
  readonly jkt: string | null;
  /** Absent when it does not come from a grant. */
  readonly grantId?: string;
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly jti: string;
  readonly now: Date;
}

/**
 * The claims of an access token with which a client calls one service for a person.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2.2 | RFC 9068 §2.2}
 */
export function serviceTokenClaims(token: ServiceToken): object {
  const { issuer, user, clientId, resource, scopes, jkt, grantId, jti, now } = token;
  return {
    iss: issuer,
    sub: user.id,
    aud: resource,
    client_id: clientId,
    scope: scopes.join(" "),
    ...(user.email !== null && { email: user.email }),
    ...(user.name !== null && { name: user.name }),
    ...(grantId !== undefined && { sid: grantId }),
    ...authenticationClaims(token),
    ...actorClaim(clientId),
    ...(jkt !== null && { cnf: { jkt } }),
    jti,
    ...lifetimeClaims(now, lifetimes.accessToken),
  };
}

/** The client that acts for the person (RFC 8693 §4.1). */
export function actorClaim(clientId: string): { readonly act: { readonly sub: string } } {
  return { act: { sub: clientId } };
}
