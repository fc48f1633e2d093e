import { type Message, renderMessage } from "../../text/message.js";
import { type Texts, textsIn } from "../../text/texts.js";
import type { AdminErrorCode } from "../door/refusals.js";
import { adminTexts, type Sentence } from "../texts/texts.js";

export type { AdminErrorCode };

/** What is wrong with one member of the request. */
export interface FieldFault {
  /** Where it stands, such as `requestPrefixes.0`. */
  readonly path: string;
  readonly message: Sentence | Message;
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

/** The body of a refusal, in the language of the caller. */
export function adminErrorBody({ code, sentence, fields, current }: AdminError, texts: Texts): object {
  return {
    error: code,
    error_description: sentence(adminTexts(texts.language)),
    ...(fields !== undefined && {
      fields: fields.map(({ path, message }) => ({ path, message: sayFault(message, texts) })),
    }),
    ...(current !== undefined && { current }),
  };
}

function sayFault(message: FieldFault["message"], texts: Texts): string {
  return typeof message === "function" ? message(adminTexts(texts.language)) : renderMessage(message, texts);
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
      first === undefined ? texts.fields.notValid : sayFault(first.message, textsIn(texts.language)),
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
