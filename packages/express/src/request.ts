import type { IncomingMessage } from "node:http";
import type { Auth, NodeRequestOverrides } from "@authz/verify";

/** What is needed of an Express request, whichever parameters, body, locals and `auth` its route declares. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl: string;
  body?: unknown;
}

/** `originalUrl` keeps the prefix that routers strip from `url`; `body` is there when a body parser ran. */
export function overridesOf({ originalUrl, body }: ExpressRequest): Required<NodeRequestOverrides> {
  return { url: originalUrl, body };
}

/** Apart from the request, so that it survives another middleware that also writes to `req.auth`. */
const verified = new WeakMap<object, Auth>();

/** Puts the caller on the request: as `req.auth`, and for `getAuth`. */
export function rememberAuth(req: ExpressRequest, auth: Auth): void {
  (req as { auth?: unknown }).auth = auth;
  verified.set(req, auth);
}

/**
 * The verified caller of a request, for code in which `req.auth` has another package's type.
 *
 * @throws {Error} `requireAuth()` did not let this request pass.
 */
export function getAuth(req: object): Auth {
  const auth = verified.get(req);
  if (auth === undefined) {
    throw new Error("getAuth(req): nobody is verified. Put requireAuth() in front of this handler.");
  }
  return auth;
}
