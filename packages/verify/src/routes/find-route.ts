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
  return routes.find((route) => route.method === wanted && matches(route.path, path));
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.includes(":")) return pattern === path;
  const segments = path.split("/");
  const wanted = pattern.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every(
      (part, index) => part === segments[index] || (part.startsWith(":") && segments[index] !== ""),
    )
  );
}
