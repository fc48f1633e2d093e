/** A person signed in in one browser. */
export interface BrowserSession {
  readonly id: string;
  readonly userId: string;
  readonly providerId: string;
  /** When the provider authenticated the person; it can be long before the sign-in here. */
  readonly authTime: Date;
  /** How the provider authenticated the person (RFC 8176); empty when it does not say. */
  readonly amr: readonly string[];
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}

export interface BrowserSessionStore {
  /** The session behind the SHA-256 of a cookie's token, unless it has ended. */
  findLive(tokenHash: Buffer, now: Date): Promise<BrowserSession | undefined>;
  insert(session: BrowserSession, tokenHash: Buffer): Promise<void>;
  /** Returns whether the session was there. */
  remove(id: string): Promise<boolean>;
}
