/** A valid request of a client that waits for a person's answer. */
export interface StoredAuthorizationRequest {
  readonly id: string;
  /** SHA-256 of the secret in the cookie of the browser that brought the request. */
  readonly browserHash: Buffer;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  readonly dpopJkt: string;
  readonly prompts: readonly string[];
  readonly maxAgeSeconds: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface AuthorizationRequestStore {
  insert(request: StoredAuthorizationRequest): Promise<void>;
  /** The request, unless it was answered, has expired or belongs to another browser. */
  findOpen(request: {
    id: string;
    browserHash: Buffer;
    now: Date;
  }): Promise<StoredAuthorizationRequest | undefined>;
  /** Returns whether this call is the one that answered the request. */
  answer(request: { id: string; browserHash: Buffer; now: Date }): Promise<boolean>;
}
