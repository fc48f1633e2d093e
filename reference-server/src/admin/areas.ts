import type { AdminArea, AreaOptions } from "./http/route.js";
import { sessionArea } from "./session/routes.js";

/** Everything in the admin API. A new area is one line here. */
export function createAreas(_options: AreaOptions): readonly AdminArea[] {
  return [
    sessionArea(),
    // Permissions: scopes, resources, assignments, explain.
    // People and clients: users, groups, clients, providers, sessions.
    // Operation: skills, catalogs, audit, keys, settings, overview.
  ];
}
