import type { AuthzRoute } from "../messages.js";
import { findPath } from "../request/target.js";

/** Routes by path, and those with parameters. */
interface Index {
  readonly byPath: ReadonlyMap<string, readonly AuthzRoute[]>;
  readonly withParameters: readonly AuthzRoute[];
}

const indexes = new WeakMap<readonly AuthzRoute[], Index>();

/**
 * The route that a request is for, or undefined when it is for the application.
 *
 * `HEAD` is answered where `GET` is.
 *
 * @param routes - never changed afterwards
 * @param request - its target, in origin form or absolute form, and its method, which is read only if the path matches
 */
export function findRoute(
  routes: readonly AuthzRoute[],
  request: { readonly method?: string | undefined; readonly url?: string | undefined },
): AuthzRoute | undefined {
  const path = findPath(request.url ?? "/");
  if (path === undefined) return undefined;
  const { byPath, withParameters } = indexes.get(routes) ?? createIndex(routes);
  const isMatch = (route: AuthzRoute) => matches(route.path, path);
  if (!byPath.has(path) && !withParameters.some(isMatch)) return undefined;
  const method = request.method === "HEAD" ? "GET" : request.method;
  return [...(byPath.get(path) ?? []), ...withParameters.filter(isMatch)].find(
    (route) => route.method === method,
  );
}

/** Most requests are for the application, and checking every route would dominate their cost. */
function createIndex(routes: readonly AuthzRoute[]): Index {
  const byPath = new Map<string, AuthzRoute[]>();
  const withParameters = routes.filter(({ path }) => path.includes(":"));
  for (const route of routes) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  const index = { byPath, withParameters };
  indexes.set(routes, index);
  return index;
}

function matches(pattern: string, path: string): boolean {
  const parameter = pattern.indexOf(":");
  if (path.slice(0, parameter) !== pattern.slice(0, parameter)) return false;
  const segments = path.split("/");
  const wanted = pattern.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every(
      (part, index) => part === segments[index] || (part.startsWith(":") && segments[index] !== ""),
    )
  );
}
