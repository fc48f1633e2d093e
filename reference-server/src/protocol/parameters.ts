import { isScopeToken } from "@authz/dpop/jwt";
import { OAuthError } from "./oauth-error.js";

/** The parameters of one request, and the names of those that came more than once. */
export interface Parameters {
  /** The value; an empty value counts as absent (RFC 6749 §3.1). */
  get(name: string): string | undefined;
  readonly repeated: ReadonlySet<string>;
}

/** A request whose body is still bytes. */
export interface PostedForm {
  readonly headers: { readonly "content-type"?: string | undefined };
  readonly body?: unknown;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const formType = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/**
 * Reads `application/x-www-form-urlencoded` text strictly: an incomplete percent-encoding, invalid UTF-8
 * and NUL are refused instead of being repaired.
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function parseParameters(text: string): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const name = decodeComponent(separator < 0 ? pair : pair.slice(0, separator));
    const value = separator < 0 ? "" : decodeComponent(pair.slice(separator + 1));
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { get: (name) => values.get(name) || undefined, repeated };
}

/**
 * Reads the query of a URL as it came over the wire.
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function parseQuery(url: string): Parameters {
  const start = url.indexOf("?");
  return parseParameters(start < 0 ? "" : url.slice(start + 1));
}

/**
 * Reads the body of a form post.
 *
 * @throws {OAuthError} `invalid_request`: another content type, or a body that is no strict form.
 */
export function parseForm({ headers, body }: PostedForm): Parameters {
  const contentType = headers["content-type"];
  if (contentType === undefined || !formType.test(contentType)) {
    throw unsupportedContentType();
  }
  let text: string;
  try {
    text = utf8.decode((body as Uint8Array | undefined) ?? new Uint8Array());
  } catch {
    throw malformed("invalid_utf8");
  }
  return parseParameters(text);
}

/** The refusal of a body that is no form. */
export function unsupportedContentType(): OAuthError {
  const message = "The body must be sent as application/x-www-form-urlencoded.";
  return new OAuthError("invalid_request", "content_type", message);
}

/**
 * Refuses a request that repeats one of the named parameters (RFC 6749 §3.1, §3.2).
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function refuseRepeated(parameters: Parameters, names: readonly string[]): void {
  const name = names.find((candidate) => parameters.repeated.has(candidate));
  if (name !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "repeated_parameter",
      `The parameter ${name} is given more than once.`,
    );
  }
}

/**
 * Returns a parameter that the request must have.
 *
 * @throws {OAuthError} `invalid_request`: the parameter is absent.
 */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) {
    throw new OAuthError("invalid_request", "missing_parameter", `The parameter ${name} is missing.`);
  }
  return value;
}

/** The query of a page; `undefined` when it is malformed. Pages answer that like missing parameters. */
export function readQuery({ url }: { readonly url: string }): Parameters | undefined {
  return wellFormed(() => parseQuery(url));
}

/** The form posted to a page; `undefined` when it is malformed. */
export function readForm(request: PostedForm): Parameters | undefined {
  return wellFormed(() => parseForm(request));
}

function wellFormed(parse: () => Parameters): Parameters | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

function decodeComponent(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed("invalid_encoding");
  }
  if (decoded.includes("\0")) throw malformed("nul_character");
  return decoded;
}

function malformed(reason: string): OAuthError {
  return new OAuthError("invalid_request", reason, "The parameters are not properly encoded UTF-8 text.");
}

/** Whether a text is a UUID as this server writes them; anything else would be an error of the database. */
export function isUuid(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** The distinct scopes of a `scope` parameter in order, or `undefined` when it is malformed (RFC 6749 §3.3). */
export function parseScope(parameter: string): readonly string[] | undefined {
  const scopes = parameter.split(" ");
  return scopes.every(isScopeToken) ? [...new Set(scopes)] : undefined;
}
