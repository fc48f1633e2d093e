import { sha256Base64url } from "@authz/dpop/jws";
import type { RouteRequest, RouteResponse } from "../messages.js";

/** A public document that browsers and clients may cache. */
export interface PublicDocument {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** A public JSON document. */
export function jsonDocument(value: object): PublicDocument {
  return { contentType: "application/json", body: JSON.stringify(value) };
}

/**
 * Answers with a public document, or with 304 when the caller has it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 | RFC 9110 §13.1.2}
 */
export function answerDocument({ contentType, body }: PublicDocument, request: RouteRequest): RouteResponse {
  const etag = `"${sha256Base64url(body)}"`;
  const headers = { etag, "cache-control": "public, max-age=300", "access-control-allow-origin": "*" };
  if (isKnown(etag, request.ifNoneMatch)) return { status: 304, headers, body: "" };
  return { status: 200, headers: { "content-type": contentType, ...headers }, body };
}

function isKnown(etag: string, ifNoneMatch: readonly string[]): boolean {
  return ifNoneMatch
    .flatMap((line) => line.split(","))
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === etag || tag === "*");
}
