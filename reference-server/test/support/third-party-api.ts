import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";

/** A request that the API of the third party saw. */
export interface ApiRequest {
  readonly method: string;
  /** With the query, as received. */
  readonly url: string;
  /** Every header line, in pairs. */
  readonly rawHeaders: readonly string[];
  readonly bytes: number;
  /** SHA-256 of the body, hexadecimal. */
  readonly sha256: string;
}

export interface ApiCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly issuer: string;
  readonly token: string | undefined;
  /** `undefined` when the token is none or not alive. */
  readonly scopes: readonly string[] | undefined;
  readonly record: ApiRequest[];
}

/**
 * Answers below `/api/`:
 *
 * - any method `notes…` — 401 without a live token, 403 without `notes:read` (reading) or `notes:write`, else `{ ok: true }`;
 * - `echo` — what came in, as an `ApiRequest` · `token` — the access token in body and header, in pieces;
 * - `status/{n}` · `redirect` — 302 to `/api/elsewhere` · `large?bytes=n` · `endless` · `silent` — headers never come;
 * - `gzip` — compressed JSON · `cut` — the connection breaks in the middle of the body.
 */
export async function answerApi(call: ApiCall): Promise<void> {
  const { request, response, issuer, scopes, record } = call;
  const url = new URL(request.url ?? "/", issuer);
  const path = url.pathname.slice("/api/".length);
  if (path === "silent") return;
  const seen = await readRequest(request);
  if (seen === undefined) return;
  record.push(seen);
  if (scopes === undefined) {
    response.setHeader("www-authenticate", 'Bearer error="invalid_token"');
    return sendJson(response, 401, { error: "invalid_token" });
  }
  if (path.startsWith("notes")) {
    const needed = request.method === "GET" || request.method === "HEAD" ? "notes:read" : "notes:write";
    if (!scopes.includes(needed)) return sendJson(response, 403, { error: "insufficient_scope", needed });
    return sendJson(response, 200, { ok: true });
  }
  const answer = answers[path.split("/")[0] ?? ""];
  if (answer === undefined) return sendJson(response, 404, { error: "not_found" });
  await answer(response, { url, seen, token: call.token ?? "" });
}

interface Seen {
  readonly url: URL;
  readonly seen: ApiRequest;
  readonly token: string;
}

const answers: Readonly<Record<string, (response: ServerResponse, seen: Seen) => void | Promise<void>>> = {
  echo: (response, { seen }) => sendJson(response, 200, seen),
  status: (response, { url }) => sendJson(response, Number(url.pathname.split("/").at(-1)), { ok: false }),
  redirect: (response) => void response.writeHead(302, { location: "/api/elsewhere" }).end(),
  gzip(response, { token }) {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(JSON.stringify({ ok: true, token })));
  },
  async token(response, { token }) {
    response.writeHead(200, { "content-type": "text/plain", "x-token": token, "set-cookie": "a=b" });
    const half = Math.floor(token.length / 2);
    for (const piece of ["before ", token.slice(0, half), token.slice(half), " after"]) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  },
  large: async (response, { url }) => {
    const bytes = Number(url.searchParams.get("bytes") ?? "1048576");
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes });
    await pipeline(Readable.from(zeros(bytes)), response).catch(() => undefined);
  },
  endless: async (response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    await pipeline(Readable.from(zeros(Number.POSITIVE_INFINITY)), response).catch(() => undefined);
  },
  cut(response) {
    response.writeHead(200, { "content-type": "text/plain", "content-length": 1000 });
    response.write("only this", () => response.destroy());
  },
};

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, "0");
  for (let left = bytes; left > 0; left -= chunk.length) {
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  }
}

/** `undefined` when the caller went away in the middle. */
async function readRequest(request: IncomingMessage): Promise<ApiRequest | undefined> {
  const { method = "", url = "", rawHeaders } = request;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  } catch {
    return undefined;
  }
  return { method, url, rawHeaders, bytes, sha256: hash.digest("hex") };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
