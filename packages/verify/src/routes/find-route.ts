import type { AuthzRoute } from "../messages.js";
import { findPath } from "../request/target.js";

/** The route for a method and a request target, or undefined. `HEAD` is answered where `GET` is. */
export function findRoute(
  routes: readonly AuthzRoute[],
  method: string,
  target: string,
): AuthzRoute | undefined {
  const path = findPath(target);
  const wanted = method === "HEAD" ? "GET" : method;
  return routes.find((route) => route.method === wanted && route.path === path);
}
