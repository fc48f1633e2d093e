import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Headers of every answer unless its route sets them. */
const defaults: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Adds the security headers to every answer, error answers included. */
export function addSecurityHeaders(app: FastifyInstance, options: { readonly https: boolean }): void {
  const headers = Object.entries(
    options.https
      ? { ...defaults, "strict-transport-security": "max-age=31536000; includeSubDomains" }
      : defaults,
  );
  app.addHook("onSend", (_request, reply, _payload, done) => {
    for (const [name, value] of headers) {
      if (!reply.hasHeader(name)) void reply.header(name, value);
    }
    done();
  });
}

/** A request of a browser and the reply to it. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Where the forms of a page may lead, besides this server. */
export interface PageHeaderOptions {
  /** Origins; Chromium applies `form-action` to the redirects after a POST as well. */
  readonly formAction?: readonly string[];
  /** The page has a script of this server. */
  readonly script?: boolean;
}

/** Prepares an answer for an HTML page: own styles and images, no inline style, and a script only by option. */
export function setPageHeaders(reply: FastifyReply, options: PageHeaderOptions = {}): FastifyReply {
  const formAction = ["'self'", ...(options.formAction ?? [])].join(" ");
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...(options.script === true ? ["script-src 'self'"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return reply.header("content-security-policy", policy).type("text/html; charset=utf-8");
}
