import { isUuid, type Parameters } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { IdentityProvider } from "../store/identity-providers.js";

/** The parameters of a link to the sign-in. */
export interface SignInLink {
  /** The authorization request that waits for it. */
  readonly request: string | undefined;
  /** The page of this server that the person wanted. */
  readonly returnTo: string | undefined;
  readonly prompt: "login" | "select_account" | undefined;
}

/** Existing pages only, spelled as this server writes them, so that a link cannot lead elsewhere. */
const returnPaths =
  /^\/(?:device(?:\?user_code=[A-Z]{4}-[A-Z]{4})?|(?:connections|approve)\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|api\/oauth\/authorize\?[\w.~%+=&*-]{1,2000}|access(?:\?(?:service|connector)=[\w.~%-]{1,200})?|skills\/[a-z0-9-]{1,100}\.[a-z0-9-]{1,200}|admin(?:\/[\w.~:@%-]{1,300}){0,6}\/?(?:\?[\w.~:@%+=&,-]{0,1000})?)$/;

/** Reads a link; parameters that this server did not write are left out. */
export function readSignInLink(query: Parameters | undefined): SignInLink {
  const request = query?.get("request");
  const returnTo = query?.get("return_to");
  const prompt = query?.get("prompt");
  return {
    request: isUuid(request) ? request : undefined,
    returnTo: returnTo !== undefined && isReturnPath(returnTo) ? returnTo : undefined,
    prompt: prompt === "login" || prompt === "select_account" ? prompt : undefined,
  };
}

/** Whether a sign-in can lead back there. */
export function isReturnPath(path: string): boolean {
  return returnPaths.test(path);
}

/** The address of a link, at one provider when it is chosen already. */
export function signInHref(link: Partial<SignInLink>, provider?: string): string {
  const query = new URLSearchParams();
  if (provider !== undefined) query.set("provider", provider);
  if (link.request !== undefined) query.set("request", link.request);
  if (link.returnTo !== undefined) query.set("return_to", link.returnTo);
  if (link.prompt !== undefined) query.set("prompt", link.prompt);
  const path = provider === undefined ? paths.signIn : paths.signInStart;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Where the browser continues after the sign-in. */
export function continueHref({ request, returnTo }: Pick<SignInLink, "request" | "returnTo">): string {
  return request === undefined ? (returnTo ?? paths.home) : `${paths.consent}?request=${request}`;
}

type CallbackOwner = Pick<IdentityProvider, "key" | "ownCallback">;

/** The last segment of a provider's callback; `undefined` for the one with the plain callback. */
export function callbackKeyOf({ key, ownCallback }: CallbackOwner): string | undefined {
  return ownCallback === true ? key : undefined;
}

/** The redirect URI of this server at a provider. */
export function callbackUrlOf(issuer: string, provider: CallbackOwner): string {
  const key = callbackKeyOf(provider);
  return `${issuer}${paths.signInCallback}${key === undefined ? "" : `/${key}`}`;
}

/** Where a provider posts its logout tokens. */
export function backChannelLogoutUrlOf(issuer: string, { key }: Pick<IdentityProvider, "key">): string {
  return `${issuer}${paths.backChannelLogout}/${key}`;
}
