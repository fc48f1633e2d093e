import { isUtf8 } from "node:buffer";
import { AuthzError } from "./errors.js";

/** Size limit of a form. */
const formMaximumBytes: number = 64 * 1024;

/** A posted form: its content type and its body, raw or parsed. */
export interface PostedForm {
  readonly contentType: readonly string[];
  /** Bytes or text, or the result of a body parser: fields, `URLSearchParams` or `FormData`. */
  readonly body?: unknown;
}

const mediaType = /^[ \t]*application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^"; \t]*)/i;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** Whether the content type is that of a form. */
export function isForm(contentType: readonly string[]): boolean {
  return contentType.some((line) => mediaType.test(line));
}

/** Whether a form has a parameter: text, bytes or already parsed. */
export function hasParameter(body: unknown, name: string): boolean {
  if (typeof body === "string") return new URLSearchParams(body).has(name);
  if (body instanceof Uint8Array) return hasParameter(Buffer.from(body).toString("latin1"), name);
  if (body instanceof URLSearchParams || body instanceof FormData) return body.has(name);
  return typeof body === "object" && body !== null && Object.hasOwn(body, name);
}

/**
 * Reads the named parameters of a form. An empty value counts as absent; other parameters are ignored.
 *
 * @throws {AuthzError} `invalid_request`: another content type, more than 64 KiB, a named parameter twice, a NUL, or
 *   bytes that are not UTF-8.
 */
export function parseForm<Name extends string>(
  form: PostedForm,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  checkContentType(form.contentType);
  const parameters = readParameters(form.body);
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const values = parameters.filter(([key]) => key === name).map(([, value]) => value);
    if (values.length > 1) throw new AuthzError("invalid_request", "parameter_repeated");
    const [value] = values;
    if (value !== undefined && value !== "") found[name] = value;
  }
  return found;
}

function checkContentType(lines: readonly string[]): void {
  const [line] = lines;
  if (lines.length !== 1 || line === undefined || !mediaType.test(line) || line.includes(",")) {
    throw new AuthzError("invalid_request", "content_type");
  }
  const declared = charset.exec(line)?.[1];
  if (declared !== undefined && declared.toLowerCase() !== "utf-8") {
    throw new AuthzError("invalid_request", "content_type");
  }
}

type Parameters = readonly (readonly [name: string, value: string])[];

function readParameters(body: unknown): Parameters {
  if (body === undefined || body === null) return [];
  if (typeof body === "string") return parseBytes(Buffer.from(body));
  if (body instanceof Uint8Array) return parseBytes(body);
  if (typeof body === "object" && !Array.isArray(body)) return readParsed(body);
  throw new AuthzError("invalid_request", "body_malformed");
}

function parseBytes(bytes: Uint8Array): Parameters {
  if (bytes.length > formMaximumBytes) throw new AuthzError("invalid_request", "body_too_large");
  if (!isUtf8(bytes)) throw new AuthzError("invalid_request", "body_malformed");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1
        ? ([decode(pair), ""] as const)
        : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
    });
}

function decode(encoded: string): string {
  if (brokenEscape.test(encoded)) throw new AuthzError("invalid_request", "body_malformed");
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded.replaceAll("+", " "));
  } catch (cause) {
    throw new AuthzError("invalid_request", "body_malformed", { cause });
  }
  return refuseNul(decoded);
}

/** Body parsers produce arrays for repeated parameters and objects for nested ones; both are refused. */
function readParsed(body: object): Parameters {
  const parameters: [string, string][] = [];
  let length = 0;
  const fields = body instanceof URLSearchParams || body instanceof FormData ? body : Object.entries(body);
  for (const [name, value] of fields) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value as unknown]) {
      const given = typeof one === "string" ? refuseNul(one) : "";
      length += name.length + given.length;
      parameters.push([refuseNul(name), given]);
      // A nested value under a known name counts as repeated.
      if (typeof one !== "string") parameters.push([name, ""]);
    }
  }
  if (length > formMaximumBytes) throw new AuthzError("invalid_request", "body_too_large");
  return parameters;
}

function refuseNul(value: string): string {
  if (value.includes("\0")) throw new AuthzError("invalid_request", "body_malformed");
  return value;
}

/** Reads a body to just beyond the limit, 64 KiB by default, so that reading an endless one ends. */
export async function readLimited(
  body: AsyncIterable<unknown> | null,
  maximumBytes: number = formMaximumBytes,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maximumBytes) break;
  }
  return Buffer.concat(chunks);
}
