import { adminTexts, type AdminTexts, type Sentence } from "../texts/texts.js";

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
  | "connector_key_unavailable"
  | "version_conflict"
  | "payload_too_large"
  | "unsupported_media_type"
  | "precondition_required";

/** What is wrong with one member of the request. */
export interface FieldFault {
  /** Where it stands, such as `requestPrefixes.0`. */
  readonly path: string;
  readonly message: Sentence;
}

interface AdminErrorDetails {
  readonly fields?: readonly FieldFault[];
  /** The item as it is now, of a lost race. */
  readonly current?: unknown;
  /** The person who is refused before they are known to be an administrator. */
  readonly userId?: string;
}

/** The admin API refuses; the sentence says what happened and what to do next, and the message has it in English. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly code: AdminErrorCode;
  readonly sentence: Sentence;
  readonly fields: readonly FieldFault[] | undefined;
  readonly current: unknown;
  readonly userId: string | undefined;

  constructor(code: AdminErrorCode, sentence: Sentence, details: AdminErrorDetails = {}) {
    super(sentence(adminTexts("en")));
    this.code = code;
    this.sentence = sentence;
    this.fields = details.fields;
    this.current = details.current;
    this.userId = details.userId;
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
  connector_key_unavailable: 409,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  precondition_required: 428,
};

/** The body of a refusal, in the language of the caller. */
export function adminErrorBody({ code, sentence, fields, current }: AdminError, texts: AdminTexts): object {
  return {
    error: code,
    error_description: sentence(texts),
    ...(fields !== undefined && {
      fields: fields.map(({ path, message }) => ({ path, message: message(texts) })),
    }),
    ...(current !== undefined && { current }),
  };
}

/** One member of the request is wrong, for a reason that only the server can know. */
export function fieldError(path: string, message: Sentence): AdminError {
  return invalidFields([{ path, message }]);
}

/** Several members are wrong. */
export function invalidFields(fields: readonly FieldFault[]): AdminError {
  const [first] = fields;
  const sentence: Sentence = (texts) =>
    texts.refusals.request(
      first?.path ?? "",
      first?.message(texts) ?? texts.fields.notValid,
      Math.max(fields.length - 1, 0),
    );
  return new AdminError("invalid_request", sentence, { fields });
}

/** @param what - one of `texts.things` */
export function notFound(what: Sentence): AdminError {
  return new AdminError("not_found", (texts) => texts.refusals.notFound(what(texts)));
}

export function alreadyExists(sentence: Sentence, field?: string): AdminError {
  const fields = field === undefined ? {} : { fields: [{ path: field, message: sentence }] };
  return new AdminError("already_exists", sentence, fields);
}

export function inUse(sentence: Sentence): AdminError {
  return new AdminError("in_use", sentence);
}

/** What a cursor says is not a position of the list. */
export function invalidCursor(): AdminError {
  return fieldError("cursor", ({ fields }) => fields.foreignCursor);
}
