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

/** An answer of the token endpoint (RFC 6749 §5.1, RFC 8693 §2.2.1). */
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

/** The results of the shared phases, for `decide` and `issue`. */
export interface GrantContext extends RequestContext, AuthenticatedClient {
  /** `undefined` only for a client that need not use DPoP. */
  readonly proof: VerifiedProof | undefined;
}

/** The subject of a refusal in the audit trail: a user's grant, or a machine client itself. */
export interface Concern {
  readonly userId: string | undefined;
  readonly grantId: string | null;
}

/** A decision, before anything is changed. */
export type Verdict<Permit> =
  | { readonly kind: "permit"; readonly permit: Permit }
  | { readonly kind: "refuse"; readonly error: OAuthError; readonly concern?: Concern }
  /** Nothing to decide yet. `ask` counts the poll and returns the error to answer with. */
  | { readonly kind: "wait"; readonly ask: (store: Store) => Promise<OAuthError> }
  | {
      readonly kind: "revoke";
      readonly error: OAuthError;
      readonly concern: Concern & { readonly grantId: string };
      readonly reason: RevocationReason;
    };

/** A finished answer, and what must be stored before it is sent. */
export interface Issuance {
  /**
   * Returns the answer. Called when everything is stored: only then a new grant has its entry in the token status list, which its
   * tokens name.
   *
   * @param statusIndex - the entry that storing drew
   */
  readonly respond: (statusIndex?: number) => TokenResponse;
  /** A further single-use credential, and the refusal when it was used before. */
  readonly once?: {
    readonly record: OnceRecord;
    readonly replayed: OAuthError;
    readonly concern: Concern;
  };
  readonly audit: AuditEvent;
  /** What the decision rests on; checked again when it is stored. */
  readonly basis: Omit<DecisionBasis, "clientId">;
  /** Stores what the grant changes together with proof and audit event: one statement, all or nothing. */
  readonly store: (redemptions: Store["redemptions"], record: RedemptionRecord) => Promise<RedemptionOutcome>;
}

/**
 * One grant type. `load` reads, `decide` is pure, `issue` prepares; only the endpoint writes.
 *
 * The endpoint handles client, proof, audit of refusals and transaction, so that no grant can omit them.
 */
export interface GrantType<Input, Situation extends { readonly client: Client | undefined }, Permit> {
  /** The parameters it reads. None may be repeated. */
  readonly parameters: readonly string[];
  /** @throws {OAuthError} `invalid_request`: a parameter is missing. */
  parse(parameters: Parameters): Input;
  load(store: Store, input: Input, context: RequestContext): Promise<Situation>;
  decide(situation: Situation, input: Input, context: GrantContext): Verdict<Permit>;
  issue(permit: Permit, context: GrantContext): Issuance;
}

/** Reasons that another sign-in does not fix, which the owner of a code or token may read. */
const explanations: Readonly<Record<string, string>> = {
  login_permission_missing: `The account does not have the permission ${loginScope}. Ask an administrator for it.`,
  login_scope_missing: `The sign-in does not have the scope ${loginScope}, or this client may not have it. Sign in again and ask for it.`,
  scopes_in_rules:
    "Rules of the service decide about each of its calls. Call it through this server: with the tool request at its address for agents.",
  user_disabled: "The account is disabled. Ask an administrator.",
};

/**
 * The refusal of a code, refresh token or subject token.
 *
 * The caller reads the same text for every other reason; the precise one goes to log and audit trail.
 */
export function invalidGrant(reason: string): OAuthError {
  const usual = "The code or token is not valid for this client and key, or no longer. Sign in again.";
  return new OAuthError("invalid_grant", reason, explanations[reason] ?? usual);
}
