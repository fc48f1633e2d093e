/** One way through the browser to connect an account. */
export interface ConnectionAttempt {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
  /** The client that began it; `null`: the person did, on a page of this server. */
  readonly clientId: string | null;
  /** Of the third party. First what was asked for, then what the person left in. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When the person went to the third party. */
  readonly openedAt: Date | null;
  /** When the person came back. */
  readonly takenAt: Date | null;
  /** How it ended; `null` while it is open. */
  readonly outcome: AttemptOutcome | null;
}

export type AttemptOutcome =
  | { readonly state: "connected" }
  | { readonly state: "failed" /** A word for programs. */; readonly error: string };

export interface ConnectionAttemptStore {
  /** Returns `false`, and stores nothing, when the connector is gone or disabled. */
  insert(
    attempt: Pick<
      ConnectionAttempt,
      "id" | "connectorId" | "userId" | "clientId" | "scopes" | "createdAt" | "expiresAt"
    >,
  ): Promise<boolean>;
  /** An attempt of this person. */
  find(attempt: { readonly id: string; readonly userId: string }): Promise<ConnectionAttempt | undefined>;
  /**
   * Binds an attempt to the browser session and the `state` that goes to the third party, once. `undefined` when it is
   * not this person's, over, or open already.
   */
  open(attempt: {
    readonly id: string;
    readonly userId: string;
    readonly sessionId: string;
    /** SHA-256 of `state`. */
    readonly stateHash: Buffer;
    readonly scopes: readonly string[];
    readonly now: Date;
  }): Promise<ConnectionAttempt | undefined>;
  /** Hands the attempt to exactly one caller, and only to the session and the person that opened it. */
  take(attempt: {
    readonly stateHash: Buffer;
    readonly sessionId: string;
    readonly userId: string;
    readonly now: Date;
  }): Promise<ConnectionAttempt | undefined>;
  /** Ends an attempt; it cannot be opened or taken any more. Returns whether this call is the one that ended it. */
  conclude(attempt: { readonly id: string; readonly outcome: AttemptOutcome }): Promise<boolean>;
}
