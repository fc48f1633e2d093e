import { readLimited } from "../forms.js";
import type { AuthzRequest, AuthzRoute, RouteRequest, RouteResponse } from "../messages.js";
import { findRoute } from "../routes/find-route.js";

/** Facts about a Fetch `Request` that only the framework knows. */
export interface FetchRequestOverrides {
  /** The body as the application has read it; a body can be read only once. */
  readonly body?: unknown;
}

/** Converts a Fetch `Request` for `decide`. Does not read its body. */
export function requestFromFetch(request: Request, overrides: FetchRequestOverrides = {}): AuthzRequest {
  return {
    method: request.method,
    url: request.url,
    authorization: readHeader(request, "authorization"),
    dpop: readHeader(request, "dpop"),
    contentType: readHeader(request, "content-type"),
    header: (name) => readHeader(request, name),
    body: overrides.body,
  };
}

/** Converts a response to a Fetch `Response`. */
export function responseToFetch({ status, headers, body }: RouteResponse): Response {
  const fetchHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of typeof value === "string" ? [value] : value) fetchHeaders.append(name, line);
  }
  const sent = typeof body === "string" ? body : new Uint8Array(body);
  return new Response(sent === "" ? null : sent, { status, headers: fetchHeaders });
}

/** Serves the routes over Fetch types; undefined for other requests. `HEAD` is answered where `GET` is. */
export function createFetchHandler(
  routes: readonly AuthzRoute[],
): (request: Request, overrides?: FetchRequestOverrides) => Promise<Response | undefined> {
  return async (request, overrides = {}) => {
    const route = findRoute(routes, request);
    if (route === undefined) return undefined;
    const answer = responseToFetch(await route.handle(await routeRequest(request, overrides)));
    return request.method === "HEAD" ? new Response(null, answer) : answer;
  };
}

async function routeRequest(request: Request, overrides: FetchRequestOverrides): Promise<RouteRequest> {
  const isRaw = request.method === "POST" && !request.bodyUsed;
  return {
    ...requestFromFetch(request),
    contentType: readHeader(request, "content-type"),
    ifNoneMatch: readHeader(request, "if-none-match"),
    body: isRaw ? await readLimited(request.body) : overrides.body,
  };
}

/** Fetch joins repeated header lines with a comma, which later checks detect. */
function readHeader(request: Request, name: string): readonly string[] {
  const value = request.headers.get(name);
  return value === null ? [] : [value];
}
