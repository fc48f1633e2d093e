import {
  decideIdentity,
  type ProvidedIdentity,
  type ProviderClaims,
  SignInError,
} from "../../sign-in/identity.js";
import type { ProbedProvider } from "./probed-provider.js";
import { shortText } from "../../text/short-text.js";

const everySignIn = [
  "discovery",
  "issuer",
  "sign_in",
  "token_endpoint",
  "id_token",
  "email",
  "email_verified",
  "email_domain",
] as const;

/** What the sign-in of the first administrator goes through, in this order. */
export const setUpChecks = [...everySignIn, "administrator"] as const;

/** The checks of a test sign-in at a registered provider, in order. */
export const providerChecks = [...everySignIn, "person", "presence"] as const;

export type SignInCheck = (typeof setUpChecks)[number] | (typeof providerChecks)[number];

/** The precise reasons for which a check fails, and the check of each. */
export const checkOfFault = {
  discovery_unreachable: "discovery",
  discovery_forbidden: "discovery",
  discovery_status: "discovery",
  discovery_malformed: "discovery",
  issuer_differs: "issuer",
  provider_refused: "sign_in",
  answer_malformed: "sign_in",
  client_refused: "token_endpoint",
  code_refused: "token_endpoint",
  token_endpoint_failed: "token_endpoint",
  keys_unreachable: "id_token",
  signature_invalid: "id_token",
  nonce_differs: "id_token",
  claims_invalid: "id_token",
  userinfo_failed: "email",
  email_missing: "email",
  email_unverified: "email_verified",
  email_domain: "email_domain",
  other_person: "administrator",
  user_disabled: "administrator",
  not_saved: "administrator",
  person_disabled: "person",
  refresh_missing: "presence",
  refresh_refused: "presence",
} as const satisfies Readonly<Record<string, SignInCheck>>;

export type Fault = keyof typeof checkOfFault;

/** How a test ended. Every check before the failing one passed; those after it were not reached. */
export interface TestResult {
  /** `undefined`: every check passed. */
  readonly fault?: Fault;
  /** What the provider or the network said, as it said it. */
  readonly detail?: string;
  /** The address that the provider named. */
  readonly email?: string;
}

/** A provider that is stored nowhere yet, and who has to come back from there. */
export interface SignInCandidate {
  /** Lower case. */
  readonly administratorEmail: string;
  readonly provider: ProbedProvider;
}

/** A sign-in that was tried failed one of the checks. */
export class SignInFault extends Error {
  override readonly name = "SignInFault";
  readonly result: TestResult & { readonly fault: Fault };
  constructor(fault: Fault, result: Omit<TestResult, "fault"> = {}) {
    super(`The sign-in failed: ${fault}.`);
    const { email, detail } = result;
    this.result = {
      fault,
      ...(email !== undefined && { email: shortText(email, 254) ?? "" }),
      ...(detail !== undefined && { detail: shortText(detail, 300) ?? "" }),
    };
  }
}

/**
 * Decides whether a provider's claims are those of the first administrator.
 *
 * @throws {SignInFault}
 */
export function decideAdministrator(
  claims: ProviderClaims,
  { provider, administratorEmail }: SignInCandidate,
): ProvidedIdentity {
  const identity = decidePerson(claims, provider);
  if (identity.email !== administratorEmail) throw new SignInFault("other_person", namedIn(claims));
  return identity;
}

/**
 * Decides whether a provider's claims are enough for a sign-in.
 *
 * @throws {SignInFault}
 */
export function decidePerson(
  claims: ProviderClaims,
  provider: Pick<ProbedProvider, "issuer" | "allowedEmailDomains">,
): ProvidedIdentity {
  const { identity, reason } = identify(claims, provider);
  if (identity !== undefined) return identity;
  const known = reason === "email_missing" || reason === "email_unverified" || reason === "email_domain";
  throw new SignInFault(known ? reason : "claims_invalid", namedIn(claims));
}

function namedIn({ email }: ProviderClaims): Pick<TestResult, "email"> {
  return typeof email === "string" ? { email } : {};
}

function identify(
  claims: ProviderClaims,
  provider: Pick<ProbedProvider, "issuer" | "allowedEmailDomains">,
): { readonly identity?: ProvidedIdentity; readonly reason?: SignInError["reason"] } {
  try {
    return { identity: decideIdentity(claims, provider) };
  } catch (error) {
    if (error instanceof SignInError) return { reason: error.reason };
    throw error;
  }
}
