import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Keys } from "../keys/keys.js";
import type { ServerMetadata } from "./metadata.js";

/** Mounts the two metadata documents and the key set. */
export function registerDiscovery(
  app: FastifyInstance,
  options: { readonly keys: Keys; readonly metadata: () => Promise<ServerMetadata> },
): void {
  let metadata: { readonly of: ServerMetadata; readonly document: PublicDocument } | undefined;
  const keySet = { of: options.keys.keySet(), document: createDocument(options.keys.keySet()) };

  const sendMetadata = async (request: FastifyRequest, reply: FastifyReply) => {
    const current = await options.metadata();
    if (metadata?.of !== current) metadata = { of: current, document: createDocument(current) };
    return await sendDocument(request, reply, metadata.document);
  };
  // Services verify with these: a busy server must not become an outage of all of them.
  const publicDocument = { config: { neverShed: true } };
  app.get("/.well-known/openid-configuration", publicDocument, sendMetadata);
  app.get("/.well-known/oauth-authorization-server", publicDocument, sendMetadata);
  app.get("/api/oauth/jwks", publicDocument, (request, reply) => {
    const current = options.keys.keySet();
    if (current !== keySet.of) Object.assign(keySet, { of: current, document: createDocument(current) });
    return sendDocument(request, reply, keySet.document);
  });
}

interface PublicDocument {
  readonly body: string;
  readonly etag: string;
}

function createDocument(value: object): PublicDocument {
  const body = JSON.stringify(value);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: PublicDocument,
): FastifyReply {
  void reply
    .header("access-control-allow-origin", "*")
    .header("cache-control", "public, max-age=300")
    .header("cross-origin-resource-policy", "cross-origin")
    .header("etag", etag);
  if (namesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(body);
}

/** RFC 9110 §13.1.2: weak comparison, a list, or `*`. */
function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
