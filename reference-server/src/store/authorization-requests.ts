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

export interface AuthorizationRequestStore {
  insert(request: StoredAuthorizationRequest | PushedAuthorizationRequest): Promise<void>;
  /** Hands a pushed request to the first browser that brings it; it is that browser's from then on. */
  claimPushed(claim: {
    pushedHash: Buffer;
    clientId: string;
    browserHash: Buffer;
    now: Date;
    expiresAt: Date;
  }): Promise<StoredAuthorizationRequest | undefined>;
  /** The request, unless it was answered, has expired or belongs to another browser. */
  findOpen(request: {
    id: string;
    browserHash: Buffer;
    now: Date;
  }): Promise<StoredAuthorizationRequest | undefined>;
  /** Returns whether this call is the one that answered the request. */
  answer(request: { id: string; browserHash: Buffer; now: Date }): Promise<boolean>;
}
