import type { Database } from "./postgres/database.js";

/** What a code stands for. A used code stays for a while, so that its second use can be recognised. */
export interface AuthorizationCode {
  /** SHA-256 of the code. */
  readonly hash: Buffer;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly codeChallenge: string;
  /** `null`: bound to no key before it is redeemed. */
  readonly dpopJkt: string | null;
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  /** What the first use produced. */
  readonly grantId: string | null;
}

/** A row of `authorization_codes`, as the driver returns it. */
export interface CodeRow {
  hash: Buffer;
  client_id: string;
  user_id: string;
  redirect_uri: string;
  scopes: string[];
  nonce: string | null;
  code_challenge: string;
  dpop_jkt: string | null;
  auth_time: Date | null;
  amr: string[];
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  grant_id: string | null;
}

export function createAuthorizationCodeStore(database: Database) {
  return {
    async insert(code: AuthorizationCode): Promise<void> {
      await database<CodeRow>("authorization_codes").insert(toRow(code));
    },
  };
}

export function codeFromRow(row: CodeRow): AuthorizationCode {
  return {
    hash: row.hash,
    clientId: row.client_id,
    userId: row.user_id,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    nonce: row.nonce,
    codeChallenge: row.code_challenge,
    dpopJkt: row.dpop_jkt,
    authTime: row.auth_time,
    amr: row.amr,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    grantId: row.grant_id,
  };
}

function toRow(code: AuthorizationCode): CodeRow {
  return {
    hash: code.hash,
    client_id: code.clientId,
    user_id: code.userId,
    redirect_uri: code.redirectUri,
    scopes: [...code.scopes],
    nonce: code.nonce,
    code_challenge: code.codeChallenge,
    dpop_jkt: code.dpopJkt,
    auth_time: code.authTime,
    amr: [...code.amr],
    created_at: code.createdAt,
    expires_at: code.expiresAt,
    used_at: code.usedAt,
    grant_id: code.grantId,
  };
}
