import type { VerifiedProof } from "@authz/dpop";
import type { AuditEvent } from "../../audit/events.js";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { Parameters } from "../../protocol/parameters.js";
import type { Client } from "../../store/clients.js";
import type { RevocationReason } from "../../store/grants.js";
import type {
  DecisionBasis,
  OnceRecord,
  RedemptionOutcome,
  RedemptionRecord,
} from "../../store/redemptions.js";
import type { Store } from "../../store/store.js";
import { loginScope } from "../../store/system-scopes.js";
import type { AuthenticatedClient } from "../clients/authenticate.js";
import type { Keys } from "../keys/keys.js";

/** What the token endpoint answers (RFC 6749 §5.1, RFC 8693 §2.2.1). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "DPoP" | "Bearer" | "N_A";
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly issued_token_type?: string;
}

/** Derives the refresh token that follows a used one of a grant. */
export type NextRefreshToken = (token: string, grantId: string) => string;

/** What is known before anything is loaded. */
export interface RequestContext {
  readonly clientId: string;
  readonly issuer: string;
  readonly keys: Keys;
  readonly directories: GroupDirectories;
  readonly nextRefreshToken: NextRefreshToken;
  readonly now: Date;
  readonly requestId: string;
}

/** What the shared phases have established when a grant decides. */
export interface GrantContext extends RequestContext, AuthenticatedClient {
  /** Only a client that need not use DPoP does without. */
  readonly proof: VerifiedProof | undefined;
}

/** Whom a refusal concerns, for the audit trail: a person's grant, or a machine client itself. */
export interface Concern {
  readonly userId: string | undefined;
  readonly grantId: string | null;
}

/** What a grant decides, before anything is changed. */
export type Verdict<Permit> =
  | { readonly kind: "permit"; readonly permit: Permit }
  | { readonly kind: "refuse"; readonly error: OAuthError; readonly concern?: Concern }
  /** Nothing to decide yet. `ask` counts the question and says how to go on. */
  | { readonly kind: "wait"; readonly ask: (store: Store) => Promise<OAuthError> }
  | {
      readonly kind: "revoke";
      readonly error: OAuthError;
      readonly concern: Concern & { readonly grantId: string };
      readonly reason: RevocationReason;
    };

/** An answer that is ready, and what must be stored before it may leave. */
export interface Issuance {
  readonly response: TokenResponse;
  /** What the client brought besides and is accepted once, and what whoever brings it again is told. */
  readonly once?: {
    readonly record: OnceRecord;
    readonly replayed: OAuthError;
    readonly concern: Concern;
  };
  readonly audit: AuditEvent;
  /** What the decision rests on, to be looked at once more when it is stored. */
  readonly basis: Omit<DecisionBasis, "clientId">;
  /** Stores what the grant changes together with proof and audit event: one statement, all or nothing. */
  readonly store: (redemptions: Store["redemptions"], record: RedemptionRecord) => Promise<RedemptionOutcome>;
}

/**
 * One grant type. `load` reads, `decide` is pure, `issue` prepares; only the endpoint writes.
 *
 * Client, proof, audit of refusals and transaction are the endpoint's, so that no grant can forget them.
 */
export interface GrantType<Input, Situation extends { readonly client: Client | undefined }, Permit> {
  /** The parameters it reads; each may be given once. */
  readonly parameters: readonly string[];
  /** @throws {OAuthError} `invalid_request`: a parameter is missing. */
  parse(parameters: Parameters): Input;
  load(store: Store, input: Input, context: RequestContext): Promise<Situation>;
  decide(situation: Situation, input: Input, context: GrantContext): Verdict<Permit>;
  issue(permit: Permit, context: GrantContext): Issuance;
}

/** What signing in again does not mend is told to whoever has shown a code or token that is theirs. */
const explanations: Readonly<Record<string, string>> = {
  login_permission_missing: `The account does not have the permission ${loginScope}. Ask an administrator for it.`,
  login_scope_missing: `The sign-in does not have the scope ${loginScope}, or this client may not have it. Sign in again and ask for it.`,
  user_disabled: "The account is disabled. Ask an administrator.",
};

/**
 * The refusal of a code, refresh token or subject token.
 *
 * Whatever is wrong with one, the caller reads the same text; only logs and audit learn what it was.
 */
export function invalidGrant(reason: string): OAuthError {
  const usual = "The code or token is not valid for this client and key, or no longer. Sign in again.";
  return new OAuthError("invalid_grant", reason, explanations[reason] ?? usual);
}
