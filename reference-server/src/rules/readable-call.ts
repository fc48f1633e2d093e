import { isJsonObject, parseStrictJson } from "@authz/dpop/jws";

/** Bodies that conditions look at. */
export const maximumReadBody = 256 * 1024;

/** A call before it is sent, as rules see it. */
export interface RuledCall {
  readonly method: string;
  /** The address that is sent. */
  readonly url: URL;
  /** The headers that are sent, without the credential. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `unread`: it is passed on as it arrives. */
  readonly body: Buffer | "unread" | undefined;
  readonly person: { readonly id: string; readonly email: string | null };
  readonly app: { readonly id: string };
  readonly now: Date;
}

/** Why a rule cannot be evaluated for a call. */
export type UnclearReason =
  | "body_encoding"
  | "body_long"
  | "body_not_json"
  | "body_ambiguous"
  | "batch"
  | "graphql"
  | "method_override"
  | "path"
  | "query"
  | "condition";

/** The body as a condition sees it, or why it cannot be one. */
type ReadBody = { readonly value: unknown } | { readonly unclear: UnclearReason };

/** What rules have to know of a call. */
export interface ReadableCall {
  readonly body: ReadBody;
  /** The call may be another one than its method says, or contain others. */
  readonly hidden: HiddenCall | undefined;
  /** `undefined`: a name is there twice. */
  readonly query: Readonly<Record<string, string>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a call does not show. */
interface HiddenCall {
  readonly reason: UnclearReason;
  /** `calls`: it may contain calls of any method and path. */
  readonly hides: "method" | "calls";
}

/** Reads a call once for all rules. */
export function readCall(call: RuledCall): ReadableCall {
  const headers = combine(call.headers);
  const type = mediaType(headers["content-type"]);
  const parsed = parseBody(call.body, headers);
  const isJson = type === "application/json" || /^application\/[\w.+-]+\+json$/.test(type);
  const unreadable: ReadBody = "value" in parsed && call.body !== undefined && !isJson ? notJson : parsed;
  return {
    body: "value" in unreadable && hasOtherCharset(headers["content-type"]) ? notJson : unreadable,
    hidden: findHidden(call, { type, parsed }),
    query: readQuery(call.url),
    headers,
  };
}

const notJson: ReadBody = { unclear: "body_not_json" };

function mediaType(header = ""): string {
  return header.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function hasOtherCharset(header = ""): boolean {
  return /charset/i.test(header) && !/;\s*charset\s*=\s*"?utf-8"?\s*(?:;|$)/i.test(header);
}

function combine(lines: RuledCall["headers"]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [given, value] of lines) {
    const name = given.toLowerCase();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** JSON of any media type: a service may read it without looking at the type. */
function parseBody(body: RuledCall["body"], headers: Readonly<Record<string, string>>): ReadBody {
  if (body === undefined || body.length === 0) return { value: null };
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") return { unclear: "body_encoding" };
  if (body === "unread" || body.length > maximumReadBody) return { unclear: "body_long" };
  const [first] = body.toString("latin1", 0, 64).trimStart();
  try {
    const value = parseStrictJson(body);
    const isAmbiguous = hasVagueNumber(body.toString("utf8")) || hasSimilarMembers(value);
    return isAmbiguous ? { unclear: "body_ambiguous" } : { value };
  } catch {
    // What begins as JSON and is refused may be JSON for another parser.
    return first === "{" || first === "[" ? { unclear: "body_ambiguous" } : notJson;
  }
}

/** Numbers that parsers round differently: more than 15 digits, or a large exponent. */
function hasVagueNumber(text: string): boolean {
  if (!/\d[\d.]{15}|\de[+-]?\d{3}/i.test(text)) return false;
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
  return (outside.match(/\d[\d.]*(?:e[+-]?\d+)?/gi) ?? []).some((number) => {
    const [digits = "", exponent = "0"] = number.split(/e/i);
    return digits.replace(".", "").length > 15 || Math.abs(Number(exponent)) > 99;
  });
}

/** Some parsers match names without regard to case, so `Amount` can replace `amount`. */
function hasSimilarMembers(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSimilarMembers);
  if (!isJsonObject(value)) return false;
  const names = Object.keys(value);
  const folded = new Set(names.map((name) => name.normalize("NFKC").toLowerCase()));
  return folded.size !== names.length || Object.values(value).some(hasSimilarMembers);
}

function readQuery(url: URL): ReadableCall["query"] {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of url.searchParams) {
    if (name in query) return undefined;
    query[name] = value;
  }
  return query;
}

const batchPaths: ReadonlySet<string> = new Set(["batch", "$batch", "_batch", "bulk", "_bulk"]);
const graphqlPaths: ReadonlySet<string> = new Set(["graphql", "gql"]);
const overrideNames: ReadonlySet<string> = new Set(["_method", "$method", "x-http-method-override"]);
const graphqlText = /^\s*(?:#[^\n]*\n\s*)*(?:query|mutation|subscription|fragment|\{)/;

/** What a call may hide from rules about methods and paths. */
function findHidden(
  { url, body }: RuledCall,
  { type, parsed }: { readonly type: string; readonly parsed: ReadBody },
): HiddenCall | undefined {
  const last = decodeURIComponent(url.pathname.replace(/\/$/, "").split("/").at(-1) ?? "").toLowerCase();
  const names = [...url.searchParams.keys()].map((name) => name.toLowerCase());
  const hasQuery = names.includes("query") && graphqlText.test(url.searchParams.get("query") ?? "");
  if (hasQuery || type.startsWith("application/graphql") || graphqlPaths.has(last)) return hidden.graphql;
  if (type === "multipart/mixed" || type === "application/http" || batchPaths.has(last)) return hidden.batch;
  if (names.some(isOverride)) return hidden.override;
  if (body === undefined) return undefined;
  if ("value" in parsed) return findHiddenInJson(parsed.value);
  if (parsed.unclear === "body_not_json") return hidesInForm(body, type) ? hidden.override : undefined;
  // A file has no members that a service could take for a method.
  const isFile = parsed.unclear === "body_long" && type !== "" && !/json|x-www-form-urlencoded/.test(type);
  return isFile ? undefined : { reason: parsed.unclear, hides: "method" };
}

const hidden = {
  graphql: { reason: "graphql", hides: "calls" },
  batch: { reason: "batch", hides: "calls" },
  override: { reason: "method_override", hides: "method" },
} as const satisfies Readonly<Record<string, HiddenCall>>;

function isOverride(name: string): boolean {
  return overrideNames.has(name.toLowerCase());
}

/** Members with which batches name the calls in them. */
const callMembers: ReadonlySet<string> = new Set([
  "method",
  "url",
  "relative_url",
  "path",
  "jsonrpc",
  "query",
]);

function findHiddenInJson(value: unknown): HiddenCall | undefined {
  if (isBatch(value)) return hidden.batch;
  if (!isJsonObject(value)) return undefined;
  if (Object.values(value).some(isBatch)) return hidden.batch;
  const { query } = value;
  if (typeof query === "string" && graphqlText.test(query)) return hidden.graphql;
  return Object.keys(value).some(isOverride) ? hidden.override : undefined;
}

function isBatch(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.some((item) => isJsonObject(item) && Object.keys(item).some((name) => callMembers.has(name)));
}

/** Whether a form has a field that some frameworks take for the method. */
function hidesInForm(body: Buffer | "unread", type: string): boolean {
  if (body === "unread") return false;
  const text = body.toString("latin1");
  if (type.startsWith("multipart/")) return /name\s*=\s*"?[_$]method\b/i.test(text);
  const isForm = type === "application/x-www-form-urlencoded" || type === "";
  return isForm && [...new URLSearchParams(text).keys()].some(isOverride);
}
