import { randomUUID } from "node:crypto";
import type { Clock } from "@authz/dpop";
import type { Actor, Profile } from "@authz/dpop/jwt";
import type { SigningKeys } from "../keys/signing-keys.js";

/** The `typ` of access tokens. @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2.1 | RFC 9068 §2.1} */
export const accessTokenType = "at+jwt";

/** How long this service's own access tokens live. */
export const accessTokenSeconds: number = 600;

/** How large an access token may be before anything looks at it. */
export const accessTokenMaximumBytes: number = 8 * 1024;

/** What an access token says. */
interface Grant extends Profile {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The app that the person uses. */
  readonly actor: Actor | undefined;
  /** The key that the token is bound to; undefined makes it a Bearer token. */
  readonly keyThumbprint: string | undefined;
}

/** An issued access token with what the answer and the log say about it. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly expiresAt: number;
}

/** Issues this service's access tokens. */
export interface TokenIssuer {
  issue(grant: Grant): Promise<IssuedToken>;
}

/** The identities that go into every token. */
export interface TokenIssuerOptions {
  readonly publicOrigin: string;
  readonly resource: string;
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2 | RFC 9068 §2} */
export function createTokenIssuer({
  publicOrigin,
  resource,
  signingKeys,
  clock,
}: TokenIssuerOptions): TokenIssuer {
  return {
    async issue({ subject, clientId, scopes, actor, keyThumbprint, ...profile }) {
      const issuedAt = Math.floor(clock() / 1000);
      const expiresAt = issuedAt + accessTokenSeconds;
      const tokenId = randomUUID();
      const token = await signingKeys.sign(accessTokenType, {
        iss: publicOrigin,
        aud: resource,
        sub: subject,
        client_id: clientId,
        scope: scopes.join(" "),
        ...(actor !== undefined && { act: { sub: actor.subject } }),
        ...(keyThumbprint !== undefined && { cnf: { jkt: keyThumbprint } }),
        ...profile,
        jti: tokenId,
        iat: issuedAt,
        exp: expiresAt,
      });
      return { token, tokenId, expiresAt };
    },
  };
}
