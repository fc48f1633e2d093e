/** One way to a provider and back. Knowing the row does not help without the browser's own secret. */
export interface SignInAttempt {
  /** SHA-256 of `state`. */
  readonly stateHash: Buffer;
  /** SHA-256 of the secret in the browser's cookie. */
  readonly browserHash: Buffer;
  readonly providerId: string;
  /** The authorization request to continue with. */
  readonly authorizationRequestId: string | null;
  /** The page of this server to continue with; without a request and a page it is the home page. */
  readonly returnTo: string | null;
  /** Whether the provider is told to authenticate the person anew. */
  readonly asksAnew: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SignInAttemptStore {
  /** Returns `false`, and stores nothing, when the provider is gone or disabled. */
  insert(attempt: SignInAttempt): Promise<boolean>;
  /** Hands the attempt to exactly one caller, and only to the browser that began it. */
  take(attempt: { stateHash: Buffer; browserHash: Buffer; now: Date }): Promise<SignInAttempt | undefined>;
}
