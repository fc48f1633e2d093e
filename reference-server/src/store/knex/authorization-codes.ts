import type { AuthorizationCode, AuthorizationCodeStore } from "../authorization-codes.js";
import type { Database } from "./database.js";

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

export function createAuthorizationCodeStore(database: Database): AuthorizationCodeStore {
  return {
    async insert(code) {
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
