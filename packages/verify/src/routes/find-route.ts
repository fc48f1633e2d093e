import type { AuthzRoute } from "../messages.js";
import { findPath } from "../request/target.js";

/**
 * The route for a method and a request target, or undefined when the request is for the application.
 *
 * `HEAD` is answered where `GET` is.
 */
export function findRoute(
  routes: readonly AuthzRoute[],
  method: string,
  target: string,
): AuthzRoute | undefined {
  const path = findPath(target);
  if (path === undefined) return undefined;
  const wanted = method === "HEAD" ? "GET" : method;
  for (const route of routes) {
    if (route.method === wanted && matches(route.path, path)) return route;
  }
  return undefined;
}

function matches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  const parameter = pattern.indexOf(":");
  if (parameter === -1 || path.slice(0, parameter) !== pattern.slice(0, parameter)) return false;
  const segments = path.split("/");
  const wanted = pattern.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every(
      (part, index) => part === segments[index] || (part.startsWith(":") && segments[index] !== ""),
    )
  );
}
