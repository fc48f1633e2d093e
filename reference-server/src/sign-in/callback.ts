import { paths } from "../protocol/vocabulary.js";
import type { IdentityProvider } from "../store/identity-providers.js";

type CallbackOwner = Pick<IdentityProvider, "key" | "ownCallback">;

/** What the path of a provider's callback ends with; nothing for the one that has the plain callback. */
export function callbackKeyOf({ key, ownCallback }: CallbackOwner): string | undefined {
  return ownCallback === true ? key : undefined;
}

/** The redirect URI of this server at a provider. */
export function callbackUrlOf(issuer: string, provider: CallbackOwner): string {
  const key = callbackKeyOf(provider);
  return `${issuer}${paths.signInCallback}${key === undefined ? "" : `/${key}`}`;
}
