import fastifySwagger, { type SwaggerTransform } from "@fastify/swagger";
import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import { languages, textsIn } from "../../text/texts.js";
import { serverVersion } from "../../platform/http/server-version.js";
import { scopesOf } from "../../permissions/roles.js";
import { administrators } from "./access.js";
import { type AdminErrorCode, adminErrorStatus } from "./refusals.js";
import type { AdminArea } from "./area.js";
import type { RouteRules } from "./route-rules.js";

const tags = new Intl.DisplayNames("en", { type: "language" });
const spoken = languages.map((language) => tags.of(language) ?? language);

const introduction = `People call this API from the console, machines with a token of their own.

A machine client with \`authz:administer\`, \`authz:audit\` or \`authz:support\` asks the token endpoint for \`client_credentials\` with the resource \`{issuer}/api\`, and sends the token with a DPoP proof. A browser sends its session cookie and, with everything that is not GET, the header \`x-authz-csrf\` from \`GET /session\`.

Each route says who may use it: administrators all of them, auditors what reads, support what ends sessions and disables people, and owners of services and connectors what is about those; they do not find what belongs to others. Somebody with another role gets 403 \`forbidden\`.

Errors are \`{ error, error_description, fields? }\`. Members that are not described here are refused.
Sentences are in the language of \`Accept-Language\`: ${new Intl.ListFormat("en", { type: "disjunction" }).format(spoken)}, and ${String(spoken[0])} when ${spoken.length > 2 ? "none of them" : "neither"} is asked for.

Lists are read page by page: \`nextCursor\` of one page is \`cursor\` of the next.

An object's \`ETag\` goes into \`If-Match\` when it is changed or removed. When somebody else was faster the answer is 412 and has the object as it is now in \`current\`.

\`?preview=true\`, where it is offered, says who would gain and lose what, and stores nothing.`;

/** Describes every route that is registered afterwards. The document is made on the first request. */
export async function addOpenApi(
  scope: FastifyInstance,
  { url, areas }: { readonly url: string; readonly areas: readonly AdminArea[] },
): Promise<void> {
  await scope.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Authz administration", version: serverVersion, description: introduction },
      servers: [{ url }],
      tags: areas.map(({ tag, description }) => ({ name: tag, description })),
      components: { securitySchemes },
    },
    convertConstToEnum: false,
    transform: describeRoute,
    transformObject: jsonSchemaTransformObject,
  });
}

/** Puts every route of an area under its heading. */
export function tagRoutes(tag: string): (route: RouteOptions) => void {
  return (route) => {
    route.schema = { ...route.schema, tags: [tag] };
  };
}

const securitySchemes: Record<string, OpenAPIV3_1.SecuritySchemeObject> = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-authz-session",
    description: "Of a person with a role: authz:administer, authz:audit, authz:support, or an owner",
  },
  csrf: { type: "apiKey", in: "header", name: "x-authz-csrf" },
  machine: {
    type: "http",
    scheme: "DPoP",
    description: "A machine's token with authz:administer, authz:audit or authz:support",
  },
};

/** What the server says to a caller above `admin.caller`, here as everywhere. */
const limitedCode = "temporarily_unavailable";

const errorSchema = z
  .object({
    error: z.enum([...(Object.keys(adminErrorStatus) as AdminErrorCode[]), limitedCode]),
    error_description: z.string(),
    fields: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("What is wrong with which member"),
    current: z.unknown().optional().describe("The object as it is now, when somebody else was faster"),
  })
  .describe("Why a request was refused, and what to do next")
  .meta({ id: "Error" });

const previewQuery = {
  preview: z
    .enum(["true", "false"])
    .default("false")
    .describe("Says what the change would do, and stores nothing"),
};
const versionHeaders = z.strictObject({
  "If-Match": z.string().describe("The ETag of the object that was seen"),
});
const etag = { type: "string", description: "The version of the object" };

/** A route as its own schemas and the rules of the door describe it. */
const describeRoute: SwaggerTransform = (input) => {
  const { route, schema } = input;
  if (schema === undefined || schema.hide === true) return jsonSchemaTransform(input);
  const { preview, ifMatch, upload, contentTypes } = rulesOf(route);
  const querystring = schema.querystring as z.ZodObject;
  const described: FastifySchema = {
    ...schema,
    operationId: operationId(route),
    description: [schema.description, `Open to ${rolesOf(route)}.`].filter(Boolean).join(" "),
    security: securityOf(route),
    querystring: preview === true ? querystring.extend(previewQuery) : querystring,
    ...(ifMatch === true && { headers: versionHeaders }),
    ...(upload !== undefined && { body: z.unknown(), consumes: [...upload.contentTypes] }),
    response: {
      ...((contentTypes === undefined ? schema.response : rawResponse(contentTypes)) as Responses),
      ...describeRefusals(route, schema),
    },
  };
  const { schema: json, url } = jsonSchemaTransform({ ...input, schema: described });
  return { schema: { ...json, response: withVersions(json.response, schema.response) }, url };
};

function rulesOf({ config }: RouteOptions): RouteRules {
  return config ?? {};
}

/** Who may use a route, in words. */
function rolesOf(route: RouteOptions): string {
  const { access = administrators } = rulesOf(route);
  const { text } = textsIn("en");
  const names = access.map((role) => text(`administration.roles.${role}`));
  return new Intl.ListFormat("en", { type: "conjunction" }).format(names);
}

function methodOf({ method }: RouteOptions): string {
  return String(method).toLowerCase();
}

/** `PATCH /scopes/:key` is `patchScopesByKey`. */
function operationId(route: RouteOptions & { readonly routePath?: string }): string {
  const words = (route.routePath ?? route.url).split(/[/.-]/).map((part) => {
    const [, parameter] = /^:(\w+)$/.exec(part) ?? [];
    return parameter === undefined ? capital(part) : `By${capital(parameter)}`;
  });
  return methodOf(route) + words.join("");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Roles of people and scopes of machines, any of which is enough. */
function securityOf(route: RouteOptions): Record<string, string[]>[] {
  const { access = administrators, browserOnly } = rulesOf(route);
  const roles = [...access];
  const session = methodOf(route) === "get" ? { session: roles } : { session: roles, csrf: [] };
  return browserOnly === true ? [session] : [session, { machine: scopesOf(access) }];
}

type Responses = Record<string, unknown>;

function rawResponse(contentTypes: readonly string[]): Responses {
  const content = Object.fromEntries(contentTypes.map((type) => [type, { schema: z.unknown() }]));
  return { 200: { description: "Done", content } };
}

function describeRefusals(route: RouteOptions, schema: FastifySchema): Responses {
  const { ifMatch, upload, errors = [], browserOnly } = rulesOf(route);
  const hasBody = schema.body !== undefined || upload !== undefined;
  const isWriting = methodOf(route) !== "get" && browserOnly !== true;
  const codes = new Set<AdminErrorCode>([
    "invalid_request",
    "login_required",
    "access_denied",
    "forbidden",
    ...(isWriting ? (["invalid_csrf_token", "last_administrator"] as const) : []),
    ...(ifMatch === true ? (["version_conflict", "precondition_required"] as const) : []),
    ...(hasBody ? (["payload_too_large", "unsupported_media_type"] as const) : []),
    ...errors,
  ]);
  const content = { "application/json": { schema: errorSchema } };
  const statuses = new Set([...codes].map((code) => adminErrorStatus[code]));
  const refusals = [...statuses].map((status): [string, unknown] => {
    const names = [...codes].filter((code) => adminErrorStatus[code] === status);
    return [String(status), { description: names.map((name) => `\`${name}\``).join(", "), content }];
  });
  const limited = `\`${limitedCode}\`: too many requests; \`Retry-After\` says how many seconds to wait`;
  return Object.fromEntries([...refusals, ["429", { description: limited, content }]]);
}

/** Says what is in a response, and that an object with a version has an `ETag`. */
function withVersions(json: unknown, schemas: unknown): Responses {
  const given = (schemas ?? {}) as Readonly<Record<string, z.ZodType | undefined>>;
  return Object.fromEntries(
    Object.entries(json as Record<string, object>).map(([status, response]) => {
      if (!status.startsWith("2") || "content" in response) return [status, response];
      // Of a component only what stands beside the reference is read.
      const description = "$ref" in response ? "description" : "x-response-description";
      const headers = hasVersion(given[status]) ? { headers: { ETag: etag } } : {};
      return [status, { ...response, [description]: "Done", ...headers }];
    }),
  );
}

function hasVersion(schema: z.ZodType | undefined): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => hasVersion(option as z.ZodType));
  return schema instanceof z.ZodObject && schema.shape["version"] instanceof z.ZodNumber;
}
