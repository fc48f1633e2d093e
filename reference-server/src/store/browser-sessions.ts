import type { SessionListStore } from "./session-list.js";

/** A person signed in in one browser. */
export interface BrowserSession {
  readonly id: string;
  readonly userId: string;
  readonly providerId: string;
  /** When the provider says that it authenticated the person, long before the sign-in here perhaps; `null`: it does not say. */
  readonly authTime: Date | null;
  /** When the provider was told to authenticate the person anew, for this session; `null`: it was not. */
  readonly askedAnewAt: Date | null;
  /** How the provider authenticated the person (RFC 8176); empty when it does not say. */
  readonly amr: readonly string[];
  readonly signedInAt: Date;
  readonly expiresAt: Date;
  /** What the browser called itself; `null` when it did not say. */
  readonly userAgent: string | null;
}

export interface BrowserSessionStore extends SessionListStore {
  /** The session behind the SHA-256 of a cookie's token, unless it has ended or its provider is disabled. */
  findLive(tokenHash: Buffer, now: Date): Promise<BrowserSession | undefined>;
  insert(session: BrowserSession, tokenHash: Buffer): Promise<void>;
  /** The live sessions of a person, newest first. */
  listLive(person: { userId: string; now: Date; limit: number }): Promise<readonly BrowserSession[]>;
  /** Returns whether the session was there, and that person's. */
  remove(session: { id: string; userId: string }): Promise<boolean>;
  /** Removes every session of a person and returns their ids. */
  removeAll(userId: string): Promise<readonly string[]>;
}
