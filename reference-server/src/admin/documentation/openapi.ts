import { adminErrorStatus, type AdminErrorCode } from "../door/refusals.js";
import { previewSchema } from "../http/impact-schema.js";
import type { AdminArea, AdminRoute } from "../http/route.js";
import {
  componentPrefix,
  createJsonSchemaCollector,
  type JsonSchema,
  type JsonSchemaCollector,
} from "./json-schemas.js";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

/** One route, as OpenAPI describes it. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** An OpenAPI 3.1 document, as far as this server writes it. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const introduction = `People call this API from the console, machines with a token of their own.

A machine client with \`authz:administer\` asks the token endpoint for \`client_credentials\` with the resource \`{issuer}/api\`, and sends the token with a DPoP proof. A browser sends its session cookie and, with everything that is not GET, the header \`x-authz-csrf\` from \`GET /session\`.

Errors are \`{ error, error_description, fields? }\`. Members that are not described here are refused.
Sentences are in the language of \`Accept-Language\`: English or German, and English when neither is asked for.

Lists are read page by page: \`nextCursor\` of one page is \`cursor\` of the next.

An object's \`ETag\` goes into \`If-Match\` when it is changed or removed. When somebody else was faster the answer is 412 and has the object as it is now in \`current\`.

\`?preview=true\`, where it is offered, says who would gain and lose what, and stores nothing.`;

/** Describes the admin API from the schemas that check it. */
export function createOpenApiDocument(
  areas: readonly AdminArea[],
  { url, version }: { readonly url: string; readonly version: string },
): OpenApiDocument {
  const collector = createJsonSchemaCollector();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { tag, routes } of areas) {
    for (const route of routes) {
      const path = (paths[route.path] ??= {});
      path[route.method.toLowerCase()] = describeRoute(route, { tag, collector });
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Authz administration", version, description: introduction },
    servers: [{ url }],
    tags: areas.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: { ...sorted(collector.components), Error: errorSchema },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-authz-session",
          description: "Of a person who has authz:administer",
        },
        csrf: { type: "apiKey", in: "header", name: "x-authz-csrf" },
        machine: { type: "http", scheme: "DPoP", description: "A machine's token with authz:administer" },
      },
    },
  };
}

function describeRoute(
  route: AdminRoute,
  { tag, collector }: { readonly tag: string; readonly collector: JsonSchemaCollector },
): Operation {
  const { method, summary, description, browserOnly } = route;
  const parameters = describeParameters(route, collector);
  const requestBody = describeBody(route, collector);
  const session = method === "GET" ? { session: [] } : { session: [], csrf: [] };
  return {
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: browserOnly === true ? [session] : [session, { machine: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody: { required: true, content: requestBody } }),
    responses: { ...describeSuccess(route, collector), ...describeRefusals(route) },
  };
}

/** `PATCH /scopes/{key}` is `patchScopesByKey`. */
function operationId({ method, path }: AdminRoute): string {
  const words = path.split(/[/.-]/).map((part) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(part) ?? [];
    return parameter === undefined ? capital(part) : `By${capital(parameter)}`;
  });
  return method.toLowerCase() + words.join("");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function describeParameters(route: AdminRoute, collector: JsonSchemaCollector): Parameter[] {
  const { schemas, ifMatch, preview } = route;
  return [
    ...parametersIn("path", schemas.params && collector.convert(schemas.params, "input")),
    ...parametersIn("query", schemas.query && collector.convert(schemas.query, "input")),
    ...(preview === true ? [previewParameter] : []),
    ...(ifMatch ? [ifMatchParameter] : []),
  ];
}

function parametersIn(place: "path" | "query", schema: JsonSchema | undefined): Parameter[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

const previewParameter: Parameter = {
  name: "preview",
  in: "query",
  required: false,
  description: "Says what the change would do, and stores nothing",
  schema: { type: "boolean", default: false },
};

const ifMatchParameter: Parameter = {
  name: "If-Match",
  in: "header",
  required: true,
  description: "The ETag of the object that was seen",
  schema: { type: "string" },
};

function describeBody({ schemas, upload }: AdminRoute, collector: JsonSchemaCollector): Content | undefined {
  if (upload !== undefined) {
    return Object.fromEntries(upload.contentTypes.map((type) => [type, { schema: {} }]));
  }
  if (schemas.body === undefined) return undefined;
  return { "application/json": { schema: collector.convert(schemas.body, "input") } };
}

function describeSuccess(route: AdminRoute, collector: JsonSchemaCollector): Record<string, Answer> {
  const { schemas, status, preview, rawAnswers } = route;
  const previewed = preview === true ? [collector.convert(previewSchema, "output")] : [];
  if (rawAnswers !== undefined) {
    const content = Object.fromEntries(rawAnswers.map((type) => [type, { schema: {} }]));
    return { "200": { description: "Done", content } };
  }
  if (schemas.answer === undefined) {
    const done = { [String(status ?? 204)]: { description: "Done" } };
    return previewed.length === 0 ? done : { ...done, "200": jsonAnswer("What would happen", previewed) };
  }
  const answer = collector.convert(schemas.answer, "output");
  const success = String(status ?? 200);
  const headers = hasVersion(answer, collector) ? { ETag: etag } : undefined;
  if (previewed.length === 0) return { [success]: jsonAnswer("Done", [answer], headers) };
  if (success === "200")
    return { "200": jsonAnswer("Done, or what would happen", [answer, ...previewed], headers) };
  return {
    [success]: jsonAnswer("Done", [answer], headers),
    "200": jsonAnswer("What would happen", previewed),
  };
}

const etag = { description: "The version of the object", schema: { type: "string" } } as const;

function hasVersion(schema: JsonSchema, { components }: JsonSchemaCollector): boolean {
  const name = schema.$ref?.slice(componentPrefix.length);
  const object = name === undefined ? schema : components[name];
  return object?.properties?.["version"]?.type === "integer";
}

function jsonAnswer(
  description: string,
  schemas: readonly JsonSchema[],
  headers?: Answer["headers"],
): Answer {
  const [first = {}] = schemas;
  const schema = schemas.length === 1 ? first : { anyOf: schemas };
  return {
    description,
    ...(headers !== undefined && { headers }),
    content: { "application/json": { schema } },
  };
}

function describeRefusals(route: AdminRoute): Record<string, Answer> {
  const { method, schemas, ifMatch, upload, errors = [], browserOnly } = route;
  const hasBody = schemas.body !== undefined || upload !== undefined;
  const codes: AdminErrorCode[] = [
    "invalid_request",
    "login_required",
    "access_denied",
    ...(method === "GET" || browserOnly === true
      ? []
      : (["invalid_csrf_token", "last_administrator"] as const)),
    ...(ifMatch ? (["version_conflict", "precondition_required"] as const) : []),
    ...(hasBody ? (["payload_too_large", "unsupported_media_type"] as const) : []),
    ...errors,
  ];
  const byStatus: Record<string, AdminErrorCode[]> = {};
  for (const code of new Set(codes)) (byStatus[String(adminErrorStatus[code])] ??= []).push(code);
  const content = { "application/json": { schema: { $ref: `${componentPrefix}Error` } } };
  const refusals = Object.entries(byStatus).map(([status, names]): [string, Answer] => {
    const description = names.map((name) => `\`${name}\``).join(", ");
    return [status, { description, content }];
  });
  const limited = `\`${limitedCode}\`: too many requests; \`Retry-After\` says how many seconds to wait`;
  return Object.fromEntries([...refusals, ["429", { description: limited, content }]]);
}

/** What the server says to a caller above `admin.caller`, here as everywhere. */
const limitedCode = "temporarily_unavailable";

const errorSchema: JsonSchema = {
  type: "object",
  description: "Why a request was refused, and what to do next",
  properties: {
    error: { type: "string", enum: [...Object.keys(adminErrorStatus), limitedCode] },
    error_description: { type: "string" },
    fields: {
      type: "array",
      description: "What is wrong with which member",
      items: {
        type: "object",
        properties: { path: { type: "string" }, message: { type: "string" } },
        required: ["path", "message"],
      },
    },
    current: { description: "The object as it is now, when somebody else was faster" },
  },
  required: ["error", "error_description"],
};

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
