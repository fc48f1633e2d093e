import type { IdentityProvider } from "../store/identity-providers.js";
import { isVisibleText, shortText } from "../text/short-text.js";

/** A provider's claims about a user: those of its ID token, completed by its userinfo endpoint. */
export interface ProviderClaims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  /** Entra ID: whether the owner of the address's domain was verified. */
  readonly xms_edov?: unknown;
  /** Google: the organisation that the account belongs to. */
  readonly hd?: unknown;
  readonly name?: unknown;
  /** Entra ID: the account, the same for all clients. */
  readonly oid?: unknown;
  readonly auth_time?: unknown;
  readonly amr?: unknown;
  /** What the provider calls its own session (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: unknown;
  readonly groups?: unknown;
  /** Entra ID: the person is in more groups than fit into a claim. */
  readonly hasgroups?: unknown;
  /** OpenID Connect Core §5.6.2: claims that have to be fetched elsewhere. */
  readonly _claim_names?: unknown;
}

/** The user who signed in, as far as this server stores it. */
export interface ProvidedIdentity {
  readonly subject: string;
  readonly email: string;
  readonly name: string | undefined;
  /** The claim of this name, as far as it can be stored. */
  readonly oid: string | undefined;
  /** `undefined` when the provider does not report it. */
  readonly authTime: Date | undefined;
  readonly amr: readonly string[];
  /** `undefined` when the provider names no session, or not in a form that can be stored. */
  readonly sid?: string;
}

// The Kelvin sign and the dotted capital I become ASCII letters in lower case, which could be another user's address.
const emailText = /^[^\s@\p{Cc}\p{Cs}\u212A\u0130]{1,64}@[^\s@\p{Cc}\p{Cs}\u212A\u0130]{1,253}$/u;
// OpenID Connect Core §2 allows 255 characters. Lone surrogates would all be stored as U+FFFD.
const subjectText = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/**
 * Decides whether a provider's claims are enough to sign a person in.
 *
 * @throws {SignInError} `invalid_response`, `email_missing`, `email_unverified` or `email_domain`.
 */
export function decideIdentity(
  claims: ProviderClaims,
  provider: Pick<IdentityProvider, "issuer" | "allowedEmailDomains">,
): ProvidedIdentity {
  if (!isAccountIdentifier(claims.sub)) {
    const cause = new TypeError("The account identifier cannot be stored.");
    throw new SignInError("invalid_response", { cause });
  }
  const { email } = claims;
  if (!isEmailAddress(email)) throw new SignInError("email_missing");
  if (!isVerified(claims, provider)) throw new SignInError("email_unverified");
  if (!isAllowedAddress(email, provider)) throw new SignInError("email_domain");
  return {
    subject: claims.sub,
    email: email.toLowerCase(),
    name: plainText(claims.name),
    oid: isAccountIdentifier(claims.oid) ? claims.oid : undefined,
    ...readAuthentication(claims),
    ...(isAccountIdentifier(claims.sid) && { sid: claims.sid }),
  };
}

/** Whether a `sub` can be the identifier of an account, stored without change. */
export function isAccountIdentifier(subject: unknown): subject is string {
  return typeof subject === "string" && subjectText.test(subject);
}

/** Whether this can be the address of a person. */
export function isEmailAddress(email: unknown): email is string {
  return typeof email === "string" && emailText.test(email) && isVisibleText(email);
}

/** Whether a provider may vouch for this address. */
export function isAllowedAddress(
  email: string,
  { allowedEmailDomains }: Pick<IdentityProvider, "allowedEmailDomains">,
): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return allowedEmailDomains.length === 0 || allowedEmailDomains.includes(domain);
}

/** When and how the user authenticated, as far as the claims are well-formed. */
export function readAuthentication({
  auth_time: time,
  amr,
}: Pick<ProviderClaims, "auth_time" | "amr">): Pick<ProvidedIdentity, "authTime" | "amr"> {
  return {
    authTime: toDate(time),
    amr: Array.isArray(amr) ? amr.flatMap((value) => plainText(value) ?? []).slice(0, 16) : [],
  };
}

const entraHosts = new Set([
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
]);

const googleHost = "accounts.google.com";

/**
 * Whether the provider vouches for the address now, not only for the day on which it was confirmed.
 *
 * Entra ID has no `email_verified`. Its optional claim `xms_edov` means that the address is of a domain which the tenant
 * owns; it counts from Entra ID only. Google also has personal accounts under addresses of other domains: only
 * an account of an organisation, which `hd` names, ends with the employment.
 *
 * @see {@link https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload}
 */
function isVerified(claims: ProviderClaims, { issuer }: Pick<IdentityProvider, "issuer">): boolean {
  const { email, email_verified: verified, xms_edov: ownsDomain, hd: organisation } = claims;
  const { hostname } = new URL(issuer);
  if (verified === undefined && entraHosts.has(hostname)) {
    return ownsDomain === true || ownsDomain === 1 || ownsDomain === "1" || ownsDomain === "true";
  }
  if (hostname === googleHost && !String(email).toLowerCase().endsWith("@gmail.com")) {
    return verified === true && typeof organisation === "string" && organisation !== "";
  }
  return verified === true;
}

function plainText(value: unknown): string | undefined {
  return typeof value === "string" ? shortText(value, 256) : undefined;
}

function toDate(seconds: unknown): Date | undefined {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0 || seconds > 1e11)
    return undefined;
  return new Date(Math.floor(seconds) * 1000);
}

/** Why a sign-in at a provider did not succeed. */
type SignInErrorReason =
  | "provider_unreachable"
  | "provider_refused"
  | "invalid_response"
  | "email_missing"
  | "email_unverified"
  | "email_domain"
  | "user_disabled";

/** A sign-in ended without a session. The page explains each reason; `cause` is for the log. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  readonly reason: SignInErrorReason;
  constructor(reason: SignInErrorReason, options?: ErrorOptions) {
    super(`The sign-in ended without a session: ${reason}.`, options);
    this.reason = reason;
  }
}

/** The messages along the chain of causes. The errors themselves may carry claims and tokens, so they stay out of the log. */
export function describeCauses(error: Error): readonly string[] {
  const messages: string[] = [];
  for (let cause = error.cause; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    messages.push(`${cause.name}: ${cause.message}`);
  }
  return messages;
}

/**
 * Joins the claims of an ID token and of the userinfo endpoint about one account.
 *
 * An address and its verification always come from one document: the two may name different addresses, and a verified one proves
 * nothing about the other. How and when the user signed in comes from the ID token only.
 */
export function joinClaims(idToken: ProviderClaims, userinfo: ProviderClaims | undefined): ProviderClaims {
  const { email, email_verified, xms_edov, hd } = findAddress(idToken, userinfo);
  const { _claim_names: inIdToken } = idToken;
  const { _claim_names: inUserinfo } = userinfo ?? idToken;
  return {
    sub: idToken.sub,
    oid: idToken.oid,
    email,
    email_verified,
    xms_edov,
    hd,
    name: idToken.name ?? userinfo?.name,
    groups: idToken.groups ?? userinfo?.groups,
    hasgroups: idToken.hasgroups ?? userinfo?.hasgroups,
    _claim_names: inIdToken ?? inUserinfo,
    auth_time: idToken.auth_time,
    amr: idToken.amr,
    sid: idToken.sid,
  };
}

/** The first document with a verification of its address, else the first with an address. */
function findAddress(idToken: ProviderClaims, userinfo: ProviderClaims | undefined): ProviderClaims {
  const documents = userinfo === undefined ? [idToken] : [idToken, userinfo];
  const named = documents.filter(({ email }) => typeof email === "string" && email !== "");
  const judged = named.find(
    ({ email_verified, xms_edov }) => email_verified !== undefined || xms_edov !== undefined,
  );
  return judged ?? named[0] ?? idToken;
}
