import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { paths } from "../../protocol/vocabulary.js";
import type { Keys } from "../keys/keys.js";
import { statusListUri } from "../tokens/claims.js";
import type { ServerMetadata } from "./metadata.js";
import { statusListType, type StatusList } from "./status-list.js";

interface DiscoveryOptions {
  readonly issuer: string;
  readonly keys: Keys;
  readonly metadata: () => Promise<ServerMetadata>;
  readonly statusList: StatusList;
}

/** Mounts the two metadata documents, the key set, and the token status list. */
export function registerDiscovery(app: FastifyInstance, options: DiscoveryOptions): void {
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

  const lists = createDocument({ status_lists: [statusListUri(options.issuer)] });
  app.get(paths.statusLists, publicDocument, (request, reply) => sendDocument(request, reply, lists));
  app.get<{ Querystring: { readonly time?: unknown } }>(
    paths.statusList,
    publicDocument,
    async (request, reply) => {
      // The list of another time would show who came and went (draft-ietf-oauth-status-list §8.4).
      if (request.query.time !== undefined) return await reply.code(501).send();
      const { gzipped, ...list } = await options.statusList();
      const encoded = gzipped !== undefined && takesGzip(request.headers["accept-encoding"]);
      void reply.header("vary", "accept-encoding");
      if (encoded) void reply.header("content-encoding", "gzip");
      return sendDocument(request, reply, {
        ...list,
        ...(encoded && { body: gzipped }),
        type: statusListType,
        maxAgeSeconds: 10,
      });
    },
  );
}

interface PublicDocument {
  readonly body: string | Buffer;
  readonly etag: string;
  /** Default: JSON. */
  readonly type?: string;
  /** Default: five minutes. */
  readonly maxAgeSeconds?: number;
}

/** Whether an `Accept-Encoding` allows gzip; `q=0` excludes it (RFC 9110 §12.5.3). Bounded digits: it must not backtrack. */
function takesGzip(header: string | undefined): boolean {
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?:0\.(?:[1-9]\d{0,2}|0[1-9]\d?|00[1-9])|1(?:\.0{0,3})?)\s*)?(?:,|$)/i.test(
    header ?? "",
  );
}

function createDocument(value: object): PublicDocument {
  const body = JSON.stringify(value);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, type = "application/json; charset=utf-8", maxAgeSeconds = 300 }: PublicDocument,
): FastifyReply {
  void reply
    .header("access-control-allow-origin", "*")
    .header("cache-control", `public, max-age=${maxAgeSeconds}`)
    .header("cross-origin-resource-policy", "cross-origin")
    .header("etag", etag);
  if (namesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}

/** RFC 9110 §13.1.2: weak comparison, a list, or `*`. */
function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag.replace(/^W\//, "")) || tags.includes("*");
}
