import { lifetimes } from "../../protocol/vocabulary.js";
import type { Grant } from "../../store/grants.js";
import type { User } from "../../store/users.js";
import { authenticationClaims, lifetimeClaims } from "./claims.js";

/** The person that a service's access token is about, and what is known about their sign-in. */
export interface ServiceTokenSubject {
  readonly user: User;
  readonly authentication: Pick<Grant, "authTime" | "amr">;
}

/** What an access token for a service is made for. */
export interface ServiceToken {
  readonly issuer: string;
  /** The client that acts, as this server knows it: for a metadata document its address. */
  readonly clientId: string;
  /** The identifier of the one service that takes it, in canonical form. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The grant it comes from; absent for a token that a provider's assertion was redeemed for, except at the address for agents. */
  readonly grantId?: string;
  /** The key of the proof that came with the request; `null`: whoever has the token may use it. */
  readonly jkt: string | null;
  readonly jti: string;
  readonly now: Date;
  /** When what it rests on ends, in epoch seconds. */
  readonly until: number;
}

/**
 * The claims of an access token with which a client calls one service for a person. `act` says who acts (RFC 8693 §4.1).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export function serviceTokenClaims(
  { user, authentication }: ServiceTokenSubject,
  token: ServiceToken,
): object {
  const { issuer, clientId, resource, scopes, grantId, jkt, jti, now, until } = token;
  return {
    iss: issuer,
    sub: user.id,
    aud: resource,
    client_id: clientId,
    scope: scopes.join(" "),
    ...(grantId !== undefined && { sid: grantId }),
    ...authenticationClaims(authentication),
    ...(user.email !== null && { email: user.email }),
    ...(user.name !== null && { name: user.name }),
    act: { sub: clientId },
    ...(jkt !== null && { cnf: { jkt } }),
    jti,
    ...lifetimeClaims(now, lifetimes.accessToken, until),
  };
}
