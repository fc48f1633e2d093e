import type { Database } from "./postgres/database.js";

/** Where the answer to a request goes: back to the client with the browser, or to a device that waits for it. */
export type AnswerTarget =
  | {
      readonly kind: "redirect";
      readonly redirectUri: string;
      readonly state: string | null;
      readonly nonce: string | null;
      readonly codeChallenge: string;
    }
  | { readonly kind: "device"; readonly deviceId: string };

/** A valid request of a client for a person's permission. */
export interface RequestedAuthorization {
  readonly id: string;
  readonly clientId: string;
  readonly target: AnswerTarget;
  readonly scopes: readonly string[];
  /** The key that what comes of it is bound to; `null` when the request named none. */
  readonly dpopJkt: string | null;
  readonly prompts: readonly string[];
  readonly maxAgeSeconds: number | null;
  /** When it came to the browser it belongs to. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A request that waits for the answer of a person in one browser. */
export interface StoredAuthorizationRequest extends RequestedAuthorization {
  /** SHA-256 of the secret in the cookie of the browser that brought the request. */
  readonly browserHash: Buffer;
}

/** A request that its client has pushed (RFC 9126) and that no browser has brought yet. */
export interface PushedAuthorizationRequest extends RequestedAuthorization {
  /** SHA-256 of the secret in `request_uri`. */
  readonly pushedHash: Buffer;
}

interface RequestRow {
  id: string;
  browser_hash: Buffer | null;
  pushed_hash: Buffer | null;
  client_id: string;
  redirect_uri: string | null;
  state: string | null;
  nonce: string | null;
  code_challenge: string | null;
  device_id: string | null;
  scopes: string[];
  dpop_jkt: string | null;
  prompts: string[];
  max_age_seconds: number | null;
  created_at: Date;
  expires_at: Date;
  answered_at: Date | null;
}

export function createAuthorizationRequestStore(database: Database) {
  const open = (request: { id: string; browserHash: Buffer; now: Date }) =>
    database<RequestRow>("authorization_requests")
      .where({ id: request.id, browser_hash: request.browserHash, answered_at: null })
      .where("expires_at", ">", request.now);

  return {
    async insert(request: StoredAuthorizationRequest | PushedAuthorizationRequest): Promise<void> {
      await database<RequestRow>("authorization_requests").insert(toRow(request));
    },
    /** Hands a pushed request to the first browser that brings it; it is that browser's from then on. */
    async claimPushed({
      pushedHash,
      clientId,
      browserHash,
      now,
      expiresAt,
    }: {
      pushedHash: Buffer;
      clientId: string;
      browserHash: Buffer;
      now: Date;
      expiresAt: Date;
    }): Promise<StoredAuthorizationRequest | undefined> {
      const [row] = await database<RequestRow>("authorization_requests")
        .where({ pushed_hash: pushedHash, client_id: clientId, browser_hash: null })
        .where("expires_at", ">", now)
        .update({ browser_hash: browserHash, created_at: now, expires_at: expiresAt })
        .returning<RequestRow[]>("*");
      return row && fromRow(row);
    },
    /** The request, unless it was answered, has expired or belongs to another browser. */
    async findOpen(request: {
      id: string;
      browserHash: Buffer;
      now: Date;
    }): Promise<StoredAuthorizationRequest | undefined> {
      const row: RequestRow | undefined = await open(request).first();
      return row && fromRow(row);
    },
    /** Returns whether this call is the one that answered the request. */
    answer: async (request: { id: string; browserHash: Buffer; now: Date }): Promise<boolean> =>
      (await open(request).update({ answered_at: request.now })) > 0,
  };
}

function fromRow(row: RequestRow): StoredAuthorizationRequest {
  if (row.browser_hash === null) throw new Error("A request without a browser is not open.");
  return {
    id: row.id,
    browserHash: row.browser_hash,
    clientId: row.client_id,
    target: targetFromRow(row),
    scopes: row.scopes,
    dpopJkt: row.dpop_jkt,
    prompts: row.prompts,
    maxAgeSeconds: row.max_age_seconds,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function targetFromRow(row: RequestRow): AnswerTarget {
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, device_id: deviceId, state, nonce } = row;
  if (deviceId !== null) return { kind: "device", deviceId };
  if (redirectUri === null || codeChallenge === null) throw new Error("A request has a target.");
  return { kind: "redirect", redirectUri, codeChallenge, state, nonce };
}

function toRow(
  request: StoredAuthorizationRequest | PushedAuthorizationRequest,
): Omit<RequestRow, "answered_at"> {
  return {
    id: request.id,
    browser_hash: "browserHash" in request ? request.browserHash : null,
    pushed_hash: "pushedHash" in request ? request.pushedHash : null,
    client_id: request.clientId,
    ...targetToRow(request.target),
    scopes: [...request.scopes],
    dpop_jkt: request.dpopJkt,
    prompts: [...request.prompts],
    max_age_seconds: request.maxAgeSeconds,
    created_at: request.createdAt,
    expires_at: request.expiresAt,
  };
}

function targetToRow(target: AnswerTarget) {
  const none = { redirect_uri: null, state: null, nonce: null, code_challenge: null, device_id: null };
  if (target.kind === "device") return { ...none, device_id: target.deviceId };
  const { redirectUri, state, nonce, codeChallenge } = target;
  return { ...none, redirect_uri: redirectUri, state, nonce, code_challenge: codeChallenge };
}
