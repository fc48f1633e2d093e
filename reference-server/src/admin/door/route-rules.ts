import type { RouteOptions } from "fastify";
import { z } from "zod";
import type { RouteAccess } from "./access.js";
import type { AdminErrorCode } from "./refusals.js";
import type { AdminCall } from "./call.js";
import { previewSchema } from "./impact-schema.js";
import type { UploadRules } from "./requests.js";

/** What a route says in its `config`, for the door and for the documentation. */
export interface RouteRules {
  /** Who may use it. The door refuses everybody else; a route without it cannot be registered. */
  readonly access?: RouteAccess;
  /** Needs `If-Match`; the use case compares `request.admin.version` with `requireVersion`. */
  readonly ifMatch?: true;
  /** Accepts `?preview=true`. The handler writes through `request.admin.change`, and does nothing else that lasts. */
  readonly preview?: true;
  /** Makes sense for a person in a browser only. */
  readonly browserOnly?: true;
  /** Takes a file in place of JSON; the handler finds it in `request.admin.upload`. */
  readonly upload?: UploadRules;
  /** What it answers that is not JSON: the handler sends it itself. */
  readonly contentTypes?: readonly string[];
  /** What it refuses with, beside what every route does. */
  readonly errors?: readonly AdminErrorCode[];
}

declare module "fastify" {
  interface FastifyContextConfig extends RouteRules {
    /** The status of success: the first one that the route has a schema for. */
    successStatus?: number;
  }
  interface FastifyRequest {
    /** Who calls, and what their request can do. Of the administration API only. */
    admin: AdminCall;
  }
}

/** Fills in what every route has: nothing is taken or given that no schema names. */
export function completeRoute(route: RouteOptions): void {
  const { schema = {}, config = {} } = route;
  if (config.access === undefined) {
    throw new TypeError(`${String(route.method)} ${route.url} does not say who may use it.`);
  }
  const response = { ...(schema.response as Record<string, z.ZodType> | undefined) };
  if (Object.keys(response).length === 0 && config.contentTypes === undefined) response[204] = z.undefined();
  const [status = "200"] = Object.keys(response);
  if (config.preview === true) {
    response[200] = response[200] === undefined ? previewSchema : z.union([response[200], previewSchema]);
  }
  route.config = { successStatus: Number(status), ...config };
  route.schema = { querystring: z.strictObject({}), ...schema, response };
}

/** A route as the OpenAPI document names it: `PATCH /users/{id}`. */
export interface NamedRoute {
  readonly name: string;
  readonly access: RouteAccess;
}

/** Nothing for a route that the document leaves out. */
export function nameRoute(
  { method, url, schema, config }: RouteOptions,
  prefix: string,
): readonly NamedRoute[] {
  if (schema?.hide === true || method === "HEAD" || config?.access === undefined) return [];
  const path = url.slice(prefix.length).replaceAll(/:(\w+)/g, "{$1}");
  return [{ name: `${String(method)} ${path}`, access: config.access }];
}
