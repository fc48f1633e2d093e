import type { JsonObject } from "@authz/dpop/jws";
import { decideIdentity, isAccountIdentifier, isAllowedAddress } from "../../sign-in/identity.js";
import { SignInError } from "../../sign-in/sign-in-error.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";

/** Whom an assertion of a provider means. */
export type FoundPerson =
  | {
      readonly kind: "found";
      readonly user: User;
      /** The account that becomes theirs when the assertion is redeemed; `null`: it is already. */
      readonly linkedSubject: string | null;
    }
  /** Nobody of whom this could be said with certainty. `reason` is for logs and audit. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Finds the person by their account, else by a verified e-mail address, by the rules of a sign-in. Nobody is created, and no address
 * changes hands: for that somebody has to sign in.
 */
export async function findPerson(
  claims: JsonObject,
  provider: IdentityProvider,
  store: Pick<Store, "users">,
): Promise<FoundPerson> {
  const { sub: subject, email } = claims;
  if (!isAccountIdentifier(subject)) return { kind: "unknown", reason: "subject" };
  const known = await store.users.findByAccount({ providerId: provider.id, subject });
  if (known !== undefined) {
    const reason = contradiction(known, email, provider);
    return reason === undefined
      ? { kind: "found", user: known, linkedSubject: null }
      : { kind: "unknown", reason };
  }
  try {
    const identity = decideIdentity({ ...claims, sub: subject }, provider);
    const user = await store.users.findWithoutAccount(identity.email, provider.id);
    return user === undefined
      ? { kind: "unknown", reason: "unknown_person" }
      : { kind: "found", user, linkedSubject: subject };
  } catch (error) {
    if (error instanceof SignInError) return { kind: "unknown", reason: error.reason };
    throw error;
  }
}

/**
 * Permissions hang on the address, so the provider may neither name another one nor speak for one that is not its to speak for. The
 * next sign-in settles which it is.
 */
function contradiction(
  user: User,
  email: unknown,
  provider: Pick<IdentityProvider, "allowedEmailDomains">,
): string | undefined {
  if (user.email === null) return "email_missing";
  if (email !== undefined && (typeof email !== "string" || email.toLowerCase() !== user.email))
    return "email_changed";
  return isAllowedAddress(user.email, provider) ? undefined : "email_domain";
}
