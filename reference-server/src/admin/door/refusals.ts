import { Refusal, type RegistryCode } from "../../registry/refusal.js";
import { type MessageValues, renderMessage } from "../../text/message.js";
import type { MessageKey } from "../../text/message-key.js";
import type { Texts } from "../../text/texts.js";

/** Every way in which the administration API refuses, as on the wire. */
export type AdminErrorCode =
  | RegistryCode
  | "login_required"
  | "access_denied"
  | "forbidden"
  | "invalid_csrf_token"
  | "last_administrator"
  | "payload_too_large"
  | "unsupported_media_type"
  | "precondition_required";

/** The status that each refusal is answered with. */
export const adminErrorStatus: Readonly<Record<AdminErrorCode, number>> = {
  invalid_request: 400,
  login_required: 401,
  access_denied: 403,
  forbidden: 403,
  invalid_csrf_token: 403,
  not_found: 404,
  already_exists: 409,
  in_use: 409,
  last_administrator: 409,
  last_provider: 409,
  test_required: 409,
  connector_key_unavailable: 409,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  precondition_required: 428,
};

type Path<Key> = Key extends `administration.refusals.${infer Rest}` ? Rest : never;

/** A refusal by the API itself, before any rule of an object. */
export class AdminRefusal extends Refusal<AdminErrorCode> {
  override readonly name = "AdminRefusal";
  /** The person who is refused before they are known to be an administrator. */
  readonly userId: string | undefined;

  constructor(
    code: AdminErrorCode,
    sentence: Path<MessageKey>,
    { userId, ...values }: MessageValues & { readonly userId?: string } = {},
  ) {
    super(code, { key: `administration.refusals.${sentence}` as MessageKey, values });
    this.userId = userId;
  }
}

/** The body of a refusal, in the language of the caller. */
export function refusalBody(
  { code, sentence, fields, current }: Refusal<AdminErrorCode>,
  texts: Texts,
): object {
  return {
    error: code,
    error_description: renderMessage(sentence, texts),
    ...(fields !== undefined && {
      fields: fields.map(({ path, message }) => ({ path, message: renderMessage(message, texts) })),
    }),
    ...(current !== undefined && { current }),
  };
}
