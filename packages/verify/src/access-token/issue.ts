import { randomUUID } from "node:crypto";
import type { Clock } from "@authz/dpop";
import type { Actor, Profile } from "@authz/dpop/jwt";
import type { StatusList } from "../issuer/status-list.js";
import type { SigningKeys } from "../keys/signing-keys.js";

/** The `typ` of access tokens. @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2.1 | RFC 9068 §2.1} */
export const accessTokenType = "at+jwt";

/** Lifetime of this service's own access tokens. */
export const accessTokenSeconds: number = 600;

/** Size limit of an access token, checked before it is parsed. */
export const accessTokenMaximumBytes: number = 8 * 1024;

/** The content of an access token. */
interface Grant extends Profile {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The app that the person uses. */
  readonly actor: Actor | undefined;
  /** The app's session at the authorization server. */
  readonly sessionId: string | undefined;
  /** The key that the token is bound to; undefined makes it a Bearer token. */
  readonly keyThumbprint: string | undefined;
  /** Of the assertion: the token ends with it. */
  readonly statusIndex: number | undefined;
}

/** An issued access token, for the response and the log. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly expiresAt: number;
}

/** Issues this service's access tokens. */
export interface TokenIssuer {
  issue(grant: Grant): Promise<IssuedToken>;
}

/** The constant claims of every token, and the keys. */
export interface TokenIssuerOptions {
  readonly publicOrigin: string;
  readonly resource: string;
  readonly signingKeys: SigningKeys;
  /** The issuer's token status list. */
  readonly statusList: Pick<StatusList, "uri">;
  readonly clock: Clock;
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc9068#section-2 | RFC 9068 §2} */
export function createTokenIssuer({
  publicOrigin,
  resource,
  signingKeys,
  statusList: { uri },
  clock,
}: TokenIssuerOptions): TokenIssuer {
  return {
    async issue({ subject, clientId, scopes, actor, sessionId, keyThumbprint, statusIndex, ...profile }) {
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
        ...(sessionId !== undefined && { sid: sessionId }),
        ...(keyThumbprint !== undefined && { cnf: { jkt: keyThumbprint } }),
        ...(statusIndex !== undefined && { status: { status_list: { idx: statusIndex, uri } } }),
        ...profile,
        jti: tokenId,
        iat: issuedAt,
        exp: expiresAt,
      });
      return { token, tokenId, expiresAt };
    },
  };
}
