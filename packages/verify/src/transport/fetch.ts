import { readLimited } from "../forms.js";
import type { AuthzRequest, AuthzResponse, AuthzRoute, RouteRequest } from "../messages.js";
import { findRoute } from "../routes/find-route.js";

/** What `decide` needs of a Fetch `Request`. Its body is left alone. */
export function requestFromFetch(request: Request): AuthzRequest {
  return {
    method: request.method,
    url: request.url,
    authorization: readHeader(request, "authorization"),
    dpop: readHeader(request, "dpop"),
  };
}

/** An answer as a Fetch `Response`. */
export function responseToFetch({ status, headers, body }: AuthzResponse): Response {
  const fetchHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of typeof value === "string" ? [value] : value) fetchHeaders.append(name, line);
  }
  return new Response(body === "" ? null : body, { status, headers: fetchHeaders });
}

/** Serves the routes over Fetch types; undefined for everything else. `HEAD` is answered where `GET` is. */
export function createFetchHandler(
  routes: readonly AuthzRoute[],
): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const route = findRoute(routes, request.method, request.url);
    if (route === undefined) return undefined;
    const answer = responseToFetch(await route.handle(await routeRequest(request)));
    return request.method === "HEAD" ? new Response(null, answer) : answer;
  };
}

async function routeRequest(request: Request): Promise<RouteRequest> {
  return {
    ...requestFromFetch(request),
    contentType: readHeader(request, "content-type"),
    ifNoneMatch: readHeader(request, "if-none-match"),
    ...(request.method === "POST" && { body: await readLimited(request.body) }),
  };
}

/** Fetch joins repeated header lines with a comma; the checks that follow take that into account. */
function readHeader(request: Request, name: string): readonly string[] {
  const value = request.headers.get(name);
  return value === null ? [] : [value];
}
