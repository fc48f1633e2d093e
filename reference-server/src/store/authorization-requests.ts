import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

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
  /** The service that it asks for; `null`: this server's own API. */
  readonly resourceId: string | null;
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
interface PushedAuthorizationRequest extends RequestedAuthorization {
  /** SHA-256 of the secret in `request_uri`. */
  readonly pushedHash: Buffer;
}

/** A request that ended because a person lacks permissions, and the browser in which it did. */
export interface RefusedRequest {
  readonly id: string;
  readonly browserHash: Buffer;
  readonly userId: string;
  readonly now: Date;
}

/** Either kind of request with either kind of target, with `null` for what the others have. */
type StoredRequest = Omit<RequestedAuthorization, "target"> & {
  readonly browserHash: Buffer | null;
  readonly pushedHash: Buffer | null;
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly deviceId: string | null;
};

const table = defineTable<StoredRequest>("authorization_requests", {
  id: "id",
  browserHash: "browser_hash",
  pushedHash: "pushed_hash",
  clientId: "client_id",
  redirectUri: "redirect_uri",
  state: "state",
  nonce: "nonce",
  codeChallenge: "code_challenge",
  deviceId: "device_id",
  resourceId: "resource_id",
  scopes: "scopes",
  dpopJkt: "dpop_jkt",
  prompts: "prompts",
  maxAgeSeconds: "max_age_seconds",
  createdAt: "created_at",
  expiresAt: "expires_at",
});

export function createAuthorizationRequestStore(database: Database) {
  const open = (request: { id: string; browserHash: Buffer; now: Date }) =>
    database("authorization_requests")
      .where({ id: request.id, browser_hash: request.browserHash, answered_at: null })
      .where("expires_at", ">", request.now);

  const unasked = ({ id, browserHash, userId, now }: RefusedRequest) =>
    database("authorization_requests")
      .where({ id, browser_hash: browserHash, refused_user_id: userId, asked_at: null })
      .where("expires_at", ">", now);

  const columns = database.raw(table.select());

  return {
    async insert(request: StoredAuthorizationRequest | PushedAuthorizationRequest): Promise<void> {
      const { target, ...fields } = request;
      await database("authorization_requests").insert(table.toRow({ ...fields, ...target }));
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
      const [row] = await database("authorization_requests")
        .where({ pushed_hash: pushedHash, client_id: clientId, browser_hash: null })
        .where("expires_at", ">", now)
        .update({ browser_hash: browserHash, created_at: now, expires_at: expiresAt })
        .returning<StoredRequest[]>(columns);
      return row && fromStored(row);
    },
    /** The request, unless it was answered, has expired or belongs to another browser. */
    async findOpen(request: {
      id: string;
      browserHash: Buffer;
      now: Date;
    }): Promise<StoredAuthorizationRequest | undefined> {
      const [row] = await open(request).select<StoredRequest[]>(columns);
      return row && fromStored(row);
    },
    /**
     * Returns whether this call is the one that answered the request.
     *
     * @param request.refusedUserId - who lacks permissions for it
     */
    answer: async (request: {
      id: string;
      browserHash: Buffer;
      now: Date;
      refusedUserId?: string | undefined;
    }): Promise<boolean> =>
      (await open(request).update({
        answered_at: request.now,
        refused_user_id: request.refusedUserId ?? null,
      })) > 0,
    /** The request that a person was refused in this browser just now, while they have not asked for what they lack. */
    async findRefused(refused: RefusedRequest): Promise<StoredAuthorizationRequest | undefined> {
      const [row] = await unasked(refused).select<StoredRequest[]>(columns);
      return row && fromStored(row);
    },
    /** Returns whether this call is the one that may ask for what the person lacks. */
    takeRefused: async (refused: RefusedRequest): Promise<boolean> =>
      (await unasked(refused).update({ asked_at: refused.now })) > 0,
  };
}

function fromStored(stored: StoredRequest): StoredAuthorizationRequest {
  const {
    browserHash,
    pushedHash: _pushed,
    redirectUri,
    codeChallenge,
    deviceId,
    state,
    nonce,
    ...fields
  } = stored;
  if (browserHash === null) throw new Error("A request without a browser is not open.");
  const request = { ...fields, browserHash };
  if (deviceId !== null) return { ...request, target: { kind: "device", deviceId } };
  if (redirectUri === null || codeChallenge === null) throw new Error("A request has a target.");
  return { ...request, target: { kind: "redirect", redirectUri, codeChallenge, state, nonce } };
}
