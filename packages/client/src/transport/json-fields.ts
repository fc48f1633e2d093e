import { isScope } from "@authz/dpop/jwt";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { invalidAnswer } from "./read-json.js";

const maximumLength = 16 * 1024;

/**
 * Reads typed members of one JSON object that came from a server. Every refusal names the member.
 *
 * Written by hand because a schema library costs more at start-up than the whole request.
 */
export class JsonFields {
  readonly #object: JsonObject;
  readonly #from: string;

  constructor(object: JsonObject, from: string) {
    this.#object = object;
    this.#from = from;
  }

  string(name: string, maxLength: number = maximumLength): string {
    const value = this.#object[name];
    if (typeof value === "string" && value !== "" && value.length <= maxLength) return value;
    throw invalidAnswer(this.#from, `"${name}" must be a string.`);
  }

  optionalString(name: string): string | undefined {
    const value = this.#object[name];
    return value === undefined || value === null || value === "" ? undefined : this.string(name);
  }

  /** One of the given words, in any case. */
  oneOf(name: string, words: readonly string[]): string {
    const value = this.string(name).toLowerCase();
    const word = words.find((candidate) => candidate.toLowerCase() === value);
    if (word !== undefined) return word;
    throw invalidAnswer(this.#from, `"${name}" must be ${words.join(" or ")}.`);
  }

  /** A date and time (ISO 8601 with a time zone). */
  timestamp(name: string): string {
    const text = this.string(name, 40);
    if (
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
      !Number.isNaN(Date.parse(text))
    )
      return text;
    throw invalidAnswer(this.#from, `"${name}" must be a date and time.`);
  }

  optionalTimestamp(name: string): string | undefined {
    return this.optionalString(name) === undefined ? undefined : this.timestamp(name);
  }

  seconds(name: string): number {
    const value = this.#object[name];
    if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
    throw invalidAnswer(this.#from, `"${name}" must be a positive number of seconds.`);
  }

  /** A position in a list, from 1. */
  position(name: string): number {
    const value = this.#object[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
    throw invalidAnswer(this.#from, `"${name}" must be a whole number from 1.`);
  }

  /** A number of bytes, zero included. */
  bytes(name: string, most: number): number {
    const value = this.#object[name];
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw invalidAnswer(this.#from, `"${name}" must be a number of bytes, at most ${String(most)}.`);
  }

  /** A SHA-256: `sha256:` and lower-case hexadecimal. */
  digest(name: string): string {
    const text = this.string(name);
    if (/^sha256:[\da-f]{64}$/.test(text)) return text;
    throw invalidAnswer(this.#from, `"${name}" must be "sha256:" and 64 hexadecimal digits.`);
  }

  boolean(name: string): boolean {
    const value = this.#object[name];
    if (typeof value === "boolean") return value;
    throw invalidAnswer(this.#from, `"${name}" must be true or false.`);
  }

  optionalBoolean(name: string): boolean | undefined {
    return this.#object[name] === undefined ? undefined : this.boolean(name);
  }

  strings(name: string): readonly string[] {
    const value = this.#object[name];
    if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
    throw invalidAnswer(this.#from, `"${name}" must be a list of strings.`);
  }

  optionalStrings(name: string): readonly string[] {
    return this.#object[name] === undefined ? [] : this.strings(name);
  }

  /** A name that the registry gives, or such names joined by dots. It means nothing anywhere else, such as in a path. */
  key(name: string): string {
    const text = this.string(name, 256);
    if (/^[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*$/.test(text)) return text;
    throw invalidAnswer(this.#from, `"${name}" must consist of a-z, 0-9, hyphens and dots.`);
  }

  scope(name: string): string {
    const text = this.string(name);
    if (isScope(text)) return text;
    throw invalidAnswer(this.#from, `"${name}" must be "namespace:permission", such as contracts:read.`);
  }

  scopes(name: string): readonly string[] {
    const strings = this.strings(name);
    if (strings.every(isScope)) return strings;
    throw invalidAnswer(
      this.#from,
      `"${name}" must be a list of "namespace:permission", such as contracts:read.`,
    );
  }

  optionalScopes(name: string): readonly string[] {
    return this.#object[name] === undefined ? [] : this.scopes(name);
  }

  object(name: string): JsonFields {
    const value = this.#object[name];
    if (isJsonObject(value)) return new JsonFields(value, this.#from);
    throw invalidAnswer(this.#from, `"${name}" must be an object.`);
  }

  optionalObject(name: string): JsonFields | undefined {
    const value = this.#object[name];
    return value === undefined || value === null ? undefined : this.object(name);
  }

  objects(name: string): readonly JsonFields[] {
    const value = this.#object[name];
    if (Array.isArray(value) && value.every(isJsonObject))
      return value.map((item) => new JsonFields(item, this.#from));
    throw invalidAnswer(this.#from, `"${name}" must be a list of objects.`);
  }

  optionalObjects(name: string): readonly JsonFields[] {
    return this.#object[name] === undefined ? [] : this.objects(name);
  }

  /** An absolute address that credentials may be sent to: https, or http on this computer. */
  endpoint(name: string): string {
    const text = this.string(name);
    if (isSafeEndpoint(text)) return text;
    throw invalidAnswer(
      this.#from,
      `"${name}" must be an https address without user, query or fragment (plain http only on this computer).`,
    );
  }

  optionalEndpoint(name: string): string | undefined {
    return this.optionalString(name) === undefined ? undefined : this.endpoint(name);
  }
}

function isSafeEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    isSecureOrLoopback(url) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "" &&
    url.search === ""
  );
}

/** Whether credentials may travel to this address: https anywhere, http only to this computer. */
export function isSecureOrLoopback(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
