/** Every way in which the admin API refuses, as on the wire. */
export type AdminErrorCode =
  | "invalid_request"
  | "login_required"
  | "access_denied"
  | "invalid_csrf_token"
  | "not_found"
  | "already_exists"
  | "in_use"
  | "last_administrator"
  | "last_provider"
  | "version_conflict"
  | "payload_too_large"
  | "unsupported_media_type"
  | "precondition_required";

/** What is wrong with one member of the request. */
export interface FieldFault {
  /** Where it stands, such as `requestPrefixes.0`. */
  readonly path: string;
  readonly message: string;
}

interface AdminErrorDetails {
  readonly fields?: readonly FieldFault[];
  /** The item as it is now, of a lost race. */
  readonly current?: unknown;
}

/** The admin API refuses; the message says what happened and what to do next. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly code: AdminErrorCode;
  readonly fields: readonly FieldFault[] | undefined;
  readonly current: unknown;

  constructor(code: AdminErrorCode, message: string, details: AdminErrorDetails = {}) {
    super(message);
    this.code = code;
    this.fields = details.fields;
    this.current = details.current;
  }
}

/** The status that each refusal is answered with. */
export const adminErrorStatus: Readonly<Record<AdminErrorCode, number>> = {
  invalid_request: 400,
  login_required: 401,
  access_denied: 403,
  invalid_csrf_token: 403,
  not_found: 404,
  already_exists: 409,
  in_use: 409,
  last_administrator: 409,
  last_provider: 409,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  precondition_required: 428,
};

/** The body of a refusal. */
export function adminErrorBody({ code, message, fields, current }: AdminError): object {
  return {
    error: code,
    error_description: message,
    ...(fields !== undefined && { fields }),
    ...(current !== undefined && { current }),
  };
}

/** One member of the request is wrong, for a reason that only the server can know. */
export function fieldError(path: string, message: string): AdminError {
  return invalidFields([{ path, message }]);
}

/** Several members are wrong. */
export function invalidFields(fields: readonly FieldFault[]): AdminError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
  const place = first === undefined || first.path === "" ? "The request" : `"${first.path}"`;
  const message = `${place} ${first?.message ?? "is not valid"}${more}.`;
  return new AdminError("invalid_request", message, { fields });
}

/** @param what - such as `scope "contracts:read"` */
export function notFound(what: string): AdminError {
  return new AdminError("not_found", `There is no ${what}. Somebody may have removed it.`);
}

export function alreadyExists(description: string, field?: string): AdminError {
  const fields = field === undefined ? {} : { fields: [{ path: field, message: description }] };
  return new AdminError("already_exists", description, fields);
}

export function inUse(description: string): AdminError {
  return new AdminError("in_use", description);
}

/** What a cursor says is not a position of the list. */
export function invalidCursor(): AdminError {
  return fieldError("cursor", "is not a cursor of this list in this order; start without one");
}
