import { lifetimes } from "../../protocol/vocabulary.js";
import { lifetimeClaims } from "./claims.js";

/** What a machine's token is made for. */
export interface MachineToken {
  readonly issuer: string;
  readonly clientId: string;
  /** The identifier of the one resource that takes it. */
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly jkt: string;
  readonly jti: string;
  readonly now: Date;
}

/**
 * The claims of an access token with which a machine calls one resource. There is no person in it: `sub` is the
 * client (RFC 9068 §2.2).
 */
export function machineTokenClaims(token: MachineToken): object {
  const { issuer, clientId, resource, scopes, jkt, jti, now } = token;
  return {
    iss: issuer,
    sub: clientId,
    aud: resource,
    client_id: clientId,
    scope: scopes.join(" "),
    cnf: { jkt },
    jti,
    ...lifetimeClaims(now, lifetimes.accessToken),
  };
}
