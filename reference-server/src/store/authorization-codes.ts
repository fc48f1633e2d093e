/** What a code stands for. A used code stays for a while, so that its second use can be recognised. */
export interface AuthorizationCode {
  /** SHA-256 of the code. */
  readonly hash: Buffer;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly codeChallenge: string;
  /** `null`: bound to no key before it is redeemed. */
  readonly dpopJkt: string | null;
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  /** What the first use produced. */
  readonly grantId: string | null;
}

export interface AuthorizationCodeStore {
  insert(code: AuthorizationCode): Promise<void>;
}
