import type { AdminArea, AdminRoute } from "./route.js";

/** The route for a request, and what stood in place of its parameters. */
export interface FoundRoute {
  readonly route: AdminRoute;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds routes by method and path. A segment that is written out wins over a parameter in its place.
 *
 * @param path - below `/api/admin/v1`, without a query, as received
 * @returns undefined when there is no such route, or an escape in the path is broken
 */
export type FindRoute = (method: string, path: string) => FoundRoute | undefined;

export function createRouteTable(areas: readonly AdminArea[]): FindRoute {
  const routes = areas
    .flatMap((area) => area.routes)
    .map((route) => ({ route, segments: route.path.split("/") }))
    .sort((one, other) => compareOrder(one.segments, other.segments));
  return (method, path) => {
    const wanted = path.split("/").map(decodeSegment);
    if (wanted.includes(undefined)) return undefined;
    const segments = wanted as string[];
    const found = routes.find(
      ({ route, segments: own }) => route.method === method && matches(own, segments),
    );
    return found && { route: found.route, params: readParams(found.segments, segments) };
  };
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

/** Parameters come after what is written out. */
function compareOrder(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((segment, place) => isParameter(segment) !== isParameter(other[place] ?? ""));
  if (index === -1) return 0;
  return isParameter(one[index] as string) ? 1 : -1;
}

function matches(own: readonly string[], segments: readonly string[]): boolean {
  return (
    own.length === segments.length &&
    own.every((segment, index) =>
      isParameter(segment) ? segments[index] !== "" : segment === segments[index],
    )
  );
}

function readParams(own: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> {
  const params = own.flatMap((segment, index) =>
    isParameter(segment) ? [[segment.slice(1, -1), segments[index] as string] as const] : [],
  );
  return Object.fromEntries(params);
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
