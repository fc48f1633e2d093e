import type { z } from "zod";
import type { AdminErrorCode } from "./admin-error.js";
import type { UploadRules } from "../door/route-rules.js";
import type { AdminCall } from "./call.js";
import type { RawAnswer } from "./raw-answer.js";

/** What the framework hands to a route, checked and typed. */
export interface AdminInput<Params, Query, Body, IfMatch> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The version that the caller saw; only of routes with `ifMatch`. */
  readonly version: IfMatch extends true ? number : undefined;
}

/** What describes a route, for the router, the documents and the tests. */
interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/admin/v1`, with parameters in braces: `/scopes/{key}`. */
  readonly path: `/${string}`;
  /** One short sentence without a full stop: "List scopes". */
  readonly summary: string;
  readonly description?: string;
  /** The status of success; 200 with an answer, 204 without one. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Accepts `?preview=true`. The handler writes through `call.change`, and does nothing else that lasts. */
  readonly preview?: true;
  /** Makes sense for a person in a browser only. */
  readonly browserOnly?: true;
  /** What it refuses with, beside what every route does. */
  readonly errors?: readonly AdminErrorCode[];
  /** Takes a file in place of `body`; the handler finds it in `call.upload`. */
  readonly upload?: UploadRules;
  /** The content types of a `RawAnswer`, for the documents. */
  readonly rawAnswers?: readonly string[];
}

export interface RouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  IfMatch extends boolean,
> extends RouteFacts {
  /** The parameters of the path; a strict object. */
  readonly params?: Params;
  /** A strict object: unknown members are refused. */
  readonly query?: Query;
  /** JSON; a strict object. */
  readonly body?: Body;
  /** What comes back. Members that are not in it never leave the server: the answer is refused with 500. */
  readonly answer?: Answer;
  /** Needs `If-Match`; the handler compares with `requireVersion`. */
  readonly ifMatch?: IfMatch;
  readonly handle: (
    input: AdminInput<z.output<Params>, z.output<Query>, z.output<Body>, IfMatch>,
    call: AdminCall,
  ) => Promise<z.input<Answer> | RawAnswer>;
}

/** What came over the wire, not looked at. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly version: number | undefined;
}

/** The schemas of a route, of any type. */
export interface RouteSchemas {
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly answer: z.ZodType | undefined;
}

/** A route of the admin API. */
export interface AdminRoute extends RouteFacts {
  readonly ifMatch: boolean;
  readonly schemas: RouteSchemas;
  /** @throws {AdminError} */
  readonly run: (raw: RawInput, call: AdminCall) => Promise<unknown>;
}

/** The routes of one part of the admin API. */
export interface AdminArea {
  /** The heading in the documentation: "Scopes". */
  readonly tag: string;
  readonly description: string;
  readonly routes: readonly AdminRoute[];
}
