/** Who is calling. */
export interface Identity {
  /** `user`: an employee. `machine`: a registered machine client. */
  readonly type: "user" | "machine";
  /** The verified subject. Mapping it to local records is the application's business. */
  readonly subject: string;
  readonly email?: string;
  readonly name?: string;
}

/** The verified authorization of one request. Frozen, and shared by the requests made with one access token. */
export interface Auth {
  readonly identity: Identity;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  readonly clientId: string;
  /** The access token's `jti`, for logs. */
  readonly tokenId: string;
  /** When the access token ends, in seconds since 1970. */
  readonly expiresAt: number;
}
