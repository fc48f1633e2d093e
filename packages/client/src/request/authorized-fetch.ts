import type { TransportAnswer } from "../transport/transport.js";
import type { AuthorizedRequest, HeaderInput } from "./request-parts.js";

/** The part of `RequestInit` that an authorized request takes. */
export interface AuthorizedFetchInit {
  method?: string;
  headers?: HeaderInput;
  body?: string | Uint8Array | URLSearchParams | Blob | FormData | AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
}

/** Calls a registered service like `fetch`. `scopes` are the permissions the request needs. */
export type AuthorizedFetch = (
  url: string | URL,
  init?: AuthorizedFetchInit,
  options?: { scopes?: readonly string[] },
) => Promise<Response>;

/** The same way of calling over anything that sends authorized requests. */
export function authorizedFetchOver(
  send: (request: AuthorizedRequest) => Promise<TransportAnswer>,
): AuthorizedFetch {
  return async (url, init = {}, { scopes } = {}) => {
    const { headers, body } = fetchBody(init);
    const answer = await send({
      url: String(url),
      headers,
      ...(init.method === undefined ? {} : { method: init.method }),
      ...(body === undefined ? {} : { body }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
    return toResponse(answer);
  };
}

/** Brings a Fetch body into the forms a transport takes, and names its content type as `fetch` does. */
function fetchBody(init: AuthorizedFetchInit): {
  headers: [string, string][];
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
} {
  const { body, headers: input = {} } = init;
  const headers = [...(Symbol.iterator in input ? input : Object.entries(input))].map(
    ([name, value]): [string, string] => [name, value],
  );
  const describe = (type: string): void => {
    if (type !== "" && !headers.some(([name]) => name.toLowerCase() === "content-type"))
      headers.push(["content-type", type]);
  };
  if (body === undefined) return { headers };
  if (typeof body === "string") {
    describe("text/plain;charset=UTF-8");
    return { headers, body };
  }
  if (body instanceof URLSearchParams) {
    describe("application/x-www-form-urlencoded;charset=UTF-8");
    return { headers, body: body.toString() };
  }
  if (body instanceof Uint8Array || Symbol.asyncIterator in body) return { headers, body };
  const encoded = new Response(body);
  describe(encoded.headers.get("content-type") ?? "");
  return { headers, ...(encoded.body === null ? {} : { body: encoded.body }) };
}

/** An answer as a Fetch `Response`. */
function toResponse(answer: TransportAnswer): Response {
  const empty = [101, 204, 205, 304].includes(answer.status);
  if (empty) answer.discard();
  return new Response(empty ? null : ReadableStream.from(answer.body), {
    status: answer.status,
    headers: { ...answer.headers },
  });
}
