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

/** Under a name that nobody else has, so that it survives another middleware that also writes to `req.auth`. */
const verified = Symbol("auth");

/** Puts the caller on the request: as `req.auth`, and for `getAuth`. */
export function rememberAuth(req: ExpressRequest, auth: Auth): void {
  const target = req as { auth?: unknown; [verified]?: Auth };
  target.auth = auth;
  target[verified] = auth;
}

/**
 * The verified caller of a request, for code in which `req.auth` has another package's type.
 *
 * @throws {Error} `requireAuth()` did not let this request pass.
 */
export function getAuth(req: object): Auth {
  const auth = (req as { [verified]?: Auth })[verified];
  if (auth === undefined) {
    throw new Error("getAuth(req): nobody is verified. Put requireAuth() in front of this handler.");
  }
  return auth;
}
