import { JwsError, parseStrictJson } from "@authz/dpop/jws";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { check, fault, type FieldFault } from "../../objects/check.js";
import { invalid, Refusal, requireNone } from "../../registry/refusal.js";
import { AdminRefusal } from "./refusals.js";

/** What a route takes that is not JSON. */
export interface UploadRules {
  readonly contentTypes: readonly string[];
  readonly maxBytes: number;
}

/** A body that is not JSON, as it came. */
export interface Upload {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** JSON without repeated members; `undefined` when there is no body. */
export function readJson({ body, headers }: FastifyRequest): unknown {
  if (!(body instanceof Buffer) || body.length === 0) return undefined;
  if (!/^application\/json[ \t]*(;[ \t]*charset=utf-8[ \t]*)?$/i.test(headers["content-type"] ?? "")) {
    throw new AdminRefusal("unsupported_media_type", "sendJson");
  }
  try {
    return parseStrictJson(body);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw new AdminRefusal("invalid_request", "notJson");
  }
}

export function readUpload({ contentTypes, maxBytes }: UploadRules, request: FastifyRequest): Upload {
  const { body, headers } = request;
  const [, contentType = ""] = /^([^ \t;]*)[ \t]*(?:;|$)/.exec(headers["content-type"] ?? "") ?? [];
  if (!contentTypes.includes(contentType.toLowerCase())) {
    throw new AdminRefusal("unsupported_media_type", "sendFile", { types: { any: contentTypes } });
  }
  if (!(body instanceof Buffer) || body.length === 0) {
    throw new AdminRefusal("invalid_request", "emptyFile");
  }
  if (body.length > maxBytes) throw tooLarge();
  return { contentType: contentType.toLowerCase(), bytes: body };
}

/** Takes `preview` out of the query, which the schema of the route does not know. */
export function takePreview(request: FastifyRequest): boolean {
  const { preview = "false", ...query } = request.query as Readonly<Record<string, unknown>>;
  if (preview !== "true" && preview !== "false") throw invalid(fault("preview", "trueOrFalse"));
  request.query = query;
  return preview === "true";
}

/** Checks one part of a request with the schema of its route. Fastify sends what it returns as `error` to the error handler. */
export function createValidator({
  schema,
  httpPart,
}: {
  readonly schema: z.ZodType;
  readonly httpPart?: string | undefined;
}) {
  return (value: unknown): { readonly value: unknown } | { readonly error: Refusal } => {
    try {
      return { value: validate(schema, value) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return {
        error: httpPart === "params" && isNoId(error) ? new AdminRefusal("not_found", "noAddress") : error,
      };
    }
  };
}

/** An address with a malformed id leads nowhere, as one with an unknown id does. */
function isNoId({ fields = [] }: Refusal): boolean {
  return fields.some(({ message }) => message.key === "administration.faults.uuid");
}

/** @throws {Refusal} */
function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  requireNone(findUnstorable(value, []));
  const checked = check(schema, value);
  if (checked.faults === undefined) return checked.value;
  requireNone(checked.faults);
  throw new Error("A schema refuses a value for no reason.");
}

/** PostgreSQL stores no NUL in texts; half of a surrogate pair is refused as invalid JSON. */
function findUnstorable(value: unknown, place: readonly string[]): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") ? [fault(place.join("."), "noNul")] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => findUnstorable(item, [...place, name]));
}

export function tooLarge(): AdminRefusal {
  return new AdminRefusal("payload_too_large", "tooLarge");
}

/** The `ETag` of an object. */
export function formatVersion(version: number): string {
  return `"${version}"`;
}

/** @throws {AdminRefusal} `If-Match` is absent, or not one version of ours. */
export function parseIfMatch(header: string | undefined): number {
  if (header === undefined) {
    throw new AdminRefusal("precondition_required", "noIfMatch");
  }
  const [, digits] = /^"(\d{1,9})"$/.exec(header) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new AdminRefusal("invalid_request", "badIfMatch");
}
