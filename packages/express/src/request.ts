import { IncomingMessage } from "node:http";
import {
  type Auth,
  type AuthzRequest,
  keptNodeBody,
  type NodeRequestOverrides,
  requestFromNode,
} from "@authz/verify";

/**
 * The used members of an Express request, for any parameters, body, locals and `auth` of its route.
 *
 * Not the whole Node request: Express infers the type of a route's body from its middleware too, and packages such as
 * `@koa/bodyparser` add `body?: unknown` to every Node request.
 */
export interface ExpressRequest extends Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders"> {
  originalUrl: string;
}

/** An Express request is a Node request. */
export function messageOf(req: ExpressRequest): IncomingMessage {
  return req as ExpressRequest & IncomingMessage;
}

// Before Node 24, `Object.setPrototypeOf`, which Express calls on every request, gives each request its own hidden class:
// reading a property then costs 1–2 µs, and adding one 10 µs. So this file reads few properties and avoids adding any.

/** `originalUrl` keeps the prefix that routers strip from `url`; `body` exists if a body parser ran. */
export function overridesOf(req: ExpressRequest): Required<NodeRequestOverrides> {
  return { url: req.originalUrl, body: bodyOf(req) };
}

function bodyOf(req: ExpressRequest): unknown {
  return (req as { body?: unknown }).body;
}

/** The request to check. Only forms count as bodies, so `body` is read only if there is a content type. */
export function protectedRequestOf(req: ExpressRequest): AuthzRequest {
  const request = requestFromNode(messageOf(req), { url: req.originalUrl });
  return request.contentType?.length === 0 ? request : { ...request, body: bodyOf(req) };
}

const bodies = new WeakMap<object, Uint8Array>();

/** Keeps the bytes of a body, as the `verify` option of a body parser. */
export function keepBody(req: object, _res: unknown, bytes: Uint8Array): void {
  bodies.set(req, bytes);
}

/** The bytes of a body: kept by a parser, under the name that other packages use, or not parsed at all. @throws {TypeError} */
export function keptBody(req: ExpressRequest): Uint8Array {
  const { rawBody } = req as { rawBody?: unknown };
  const body = bodyOf(req);
  const kept = [bodies.get(req), rawBody, body instanceof Uint8Array ? body : undefined];
  return keptNodeBody(messageOf(req), kept, "Write express.json({ verify: authz.rawBody }).");
}

/** Stored apart from the request, so that another middleware that writes to `req.auth` does not replace it. */
const verified = new WeakMap<object, Auth>();

/**
 * Defines `auth` on the prototype that all applications of this Express share, because a request changes between their prototypes
 * when one application is mounted in another. A write to `req.auth` by other code creates an own property.
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

/** The prototype that Express adds to Node requests. A router has none. */
function sharedPrototype(request: unknown): object | undefined {
  for (let own: unknown = request; typeof own === "object" && own !== null; own = Object.getPrototypeOf(own))
    if (Object.getPrototypeOf(own) === IncomingMessage.prototype) return own;
  return undefined;
}

/** Stores the caller for `req.auth` and `getAuth`. */
export function rememberAuth(req: ExpressRequest, auth: Auth): void {
  verified.set(req, auth);
  const request = req as { auth?: unknown };
  if (request.auth !== auth) request.auth = auth;
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
