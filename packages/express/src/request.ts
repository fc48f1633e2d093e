import { IncomingMessage } from "node:http";
import { type Auth, type AuthzRequest, type NodeRequestOverrides, requestFromNode } from "@authz/verify";

/**
 * What is needed of an Express request, whichever parameters, body, locals and `auth` its route declares.
 *
 * Not the whole request of Node: Express takes the type of a route's body from its middleware too, and packages such as
 * `@koa/bodyparser` add `body?: unknown` to every request of Node.
 */
export interface ExpressRequest extends Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders"> {
  originalUrl: string;
}

/** An Express request is one of Node. */
export function messageOf(req: ExpressRequest): IncomingMessage {
  return req as ExpressRequest & IncomingMessage;
}

// Before Node 24, `Object.setPrototypeOf`, by which Express makes a request its own, gives every request a hidden class of its own:
// looking at a property costs a microsecond or two then, and adding one ten. So this file looks at few, and adds none where it can.

/** `originalUrl` keeps the prefix that routers strip from `url`; `body` is there when a body parser ran. */
export function overridesOf(req: ExpressRequest): Required<NodeRequestOverrides> {
  return { url: req.originalUrl, body: bodyOf(req) };
}

function bodyOf(req: ExpressRequest): unknown {
  return (req as { body?: unknown }).body;
}

/** What is checked of a request. A body counts only as a form, so it is looked at where its type is said. */
export function protectedRequestOf(req: ExpressRequest): AuthzRequest {
  const request = requestFromNode(messageOf(req), { url: req.originalUrl });
  return request.contentType?.length === 0 ? request : { ...request, body: bodyOf(req) };
}

/** Apart from the request, so that it survives another middleware that also writes to `req.auth`. */
const verified = new WeakMap<object, Auth>();

/**
 * Lets requests have `auth` from a prototype: the one that all applications of this Express have in common, because a request changes
 * between theirs when one is mounted in another. Whoever else writes to `req.auth` gives that request a property of its own.
 */
export function inheritAuth(app: object): void {
  const shared = sharedPrototype((app as { request?: unknown }).request);
  if (shared === undefined || "auth" in shared) return;
  Object.defineProperty(shared, "auth", {
    configurable: true,
    get(this: object) {
      return verified.get(this);
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, "auth", { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** What Express adds to the requests of Node. A router has none. */
function sharedPrototype(request: unknown): object | undefined {
  for (let own: unknown = request; typeof own === "object" && own !== null; own = Object.getPrototypeOf(own))
    if (Object.getPrototypeOf(own) === IncomingMessage.prototype) return own;
  return undefined;
}

/** Puts the caller on the request: as `req.auth`, and for `getAuth`. */
export function rememberAuth(req: ExpressRequest, auth: Auth): void {
  verified.set(req, auth);
  const shown = req as { auth?: unknown };
  if (shown.auth !== auth) shown.auth = auth;
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
