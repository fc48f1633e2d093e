import type {
  ContextConfigDefault,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RuleOptions } from "../../objects/object.js";
import type { RouteAccess } from "./access.js";
// Declares `request.admin` and `config` for the routes of every area.
import "./route-rules.js";

type Methods = "delete" | "get" | "patch" | "post" | "put";

/** Adds a route as Fastify does, but only one that declares who may use it. */
type AddRoute = <const Schema extends FastifySchema>(
  path: string,
  options: RouteShorthandOptions<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    RouteGenericInterface,
    ContextConfigDefault,
    Schema,
    ZodTypeProvider
  > & { readonly config: { readonly access: RouteAccess } },
  handler: RouteHandlerMethod<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    RouteGenericInterface,
    ContextConfigDefault,
    Schema,
    ZodTypeProvider
  >,
) => unknown;

/** Where an area adds its routes. */
export type AreaRoutes = Pick<FastifyInstance, "addHook" | "addressOf" | "register" | "withTypeProvider"> &
  Readonly<Record<Methods, AddRoute>>;

/** One part of the administration API: its heading in the documentation, and its routes. */
export interface AdminArea {
  /** The heading: "Scopes". */
  readonly tag: string;
  readonly description: string;
  /** A Fastify plugin. Who calls, limits, `If-Match`, preview and audit are seen to by the door. */
  readonly routes: (app: AreaRoutes, options: RuleOptions) => Promise<void>;
}
