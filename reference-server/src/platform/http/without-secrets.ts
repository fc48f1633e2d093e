/** Members that never reach the log, wherever a logged object carries them. */
const secretMembers = new Set([
  "access_token",
  "assertion",
  "authorization",
  "client_assertion",
  "client_secret",
  "clientSecret",
  "code_verifier",
  "cookie",
  "dpop",
  "id_token",
  "password",
  "refresh_token",
  "set-cookie",
  "subject_token",
]);
/** A `code` is an error code; an authorization code could only come with one of these. */
const placesOfCodes = new Set(["body", "query"]);
/** No logged object is deeper; this also ends cycles. */
const maxDepth = 5;

type LoggedObject = Record<string, unknown>;

/** Returns the object with its secrets replaced; the same one when there are none. */
export function withoutSecrets(object: LoggedObject): LoggedObject {
  return redact(object, "", 0);
}

function redact(object: LoggedObject, place: string, depth: number): LoggedObject {
  let copy: LoggedObject | undefined;
  for (const [name, value] of Object.entries(object)) {
    const isSecret = secretMembers.has(name) || (name === "code" && placesOfCodes.has(place));
    const shown = isSecret ? "[redacted]" : inner(value, name, depth);
    if (shown === value) continue;
    copy ??= { ...object };
    copy[name] = shown;
  }
  return copy ?? object;
}

function inner(value: unknown, place: string, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth >= maxDepth) return value;
  // An error has a serializer of its own, which comes back here.
  if (value instanceof Error && depth === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => inner(item, place, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return redact(value as LoggedObject, place, depth + 1);
}
