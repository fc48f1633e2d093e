import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** What a code stands for. A used code stays for a while, so that its second use can be recognised. */
export interface AuthorizationCode {
  /** SHA-256 of the code. */
  readonly hash: Buffer;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  /** The service that it asks for; `null`: this server's own API. */
  readonly resourceId: string | null;
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

export const codeTable = defineTable<AuthorizationCode>("authorization_codes", {
  hash: "hash",
  clientId: "client_id",
  userId: "user_id",
  redirectUri: "redirect_uri",
  resourceId: "resource_id",
  scopes: "scopes",
  nonce: "nonce",
  codeChallenge: "code_challenge",
  dpopJkt: "dpop_jkt",
  authTime: "auth_time",
  amr: "amr",
  createdAt: "created_at",
  expiresAt: "expires_at",
  usedAt: "used_at",
  grantId: "grant_id",
});

export function createAuthorizationCodeStore(database: Database) {
  return {
    async insert(code: AuthorizationCode): Promise<void> {
      await database("authorization_codes").insert(codeTable.toRow(code));
    },
    /** Deletes the unredeemed codes of a user or of a client. */
    async endUnused(of: { readonly userId: string } | { readonly clientId: string }): Promise<number> {
      const whose = "userId" in of ? { user_id: of.userId } : { client_id: of.clientId };
      return await database("authorization_codes")
        .where({ ...whose, used_at: null })
        .delete();
    },
  };
}
