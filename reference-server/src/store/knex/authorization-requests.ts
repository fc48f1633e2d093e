import type { AuthorizationRequestStore, StoredAuthorizationRequest } from "../authorization-requests.js";
import type { Database } from "./database.js";

interface RequestRow {
  id: string;
  browser_hash: Buffer;
  client_id: string;
  redirect_uri: string;
  state: string | null;
  nonce: string | null;
  scopes: string[];
  code_challenge: string;
  dpop_jkt: string;
  prompts: string[];
  max_age_seconds: number | null;
  created_at: Date;
  expires_at: Date;
  answered_at: Date | null;
}

export function createAuthorizationRequestStore(database: Database): AuthorizationRequestStore {
  const open = (request: { id: string; browserHash: Buffer; now: Date }) =>
    database<RequestRow>("authorization_requests")
      .where({ id: request.id, browser_hash: request.browserHash, answered_at: null })
      .where("expires_at", ">", request.now);

  return {
    async insert(request) {
      await database<RequestRow>("authorization_requests").insert(toRow(request));
    },
    async findOpen(request) {
      const row: RequestRow | undefined = await open(request).first();
      return row && fromRow(row);
    },
    answer: async (request) => (await open(request).update({ answered_at: request.now })) > 0,
  };
}

function fromRow(row: RequestRow): StoredAuthorizationRequest {
  return {
    id: row.id,
    browserHash: row.browser_hash,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    state: row.state,
    nonce: row.nonce,
    scopes: row.scopes,
    codeChallenge: row.code_challenge,
    dpopJkt: row.dpop_jkt,
    prompts: row.prompts,
    maxAgeSeconds: row.max_age_seconds,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function toRow(request: StoredAuthorizationRequest): Omit<RequestRow, "answered_at"> {
  return {
    id: request.id,
    browser_hash: request.browserHash,
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    nonce: request.nonce,
    scopes: [...request.scopes],
    code_challenge: request.codeChallenge,
    dpop_jkt: request.dpopJkt,
    prompts: [...request.prompts],
    max_age_seconds: request.maxAgeSeconds,
    created_at: request.createdAt,
    expires_at: request.expiresAt,
  };
}
