import { type Readable, finished } from "node:stream";
import type { OutboundStreamAnswer } from "../../platform/outbound/outbound-stream.js";
import type { Connector } from "../../store/connectors.js";
import { answerHeaders } from "./answer-headers.js";
import { spellingsOf } from "./cover-token.js";
import { encodingOf, type TakeDecoder } from "./decode-answer.js";
import { guardAnswer } from "./guard-body.js";
import { headerValues } from "./header-lines.js";
import { UseRefusal } from "./use-refusal.js";

/** The third party's answer, as the caller gets it. */
export interface HandedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** `null`: this answer never has one. It ends with an error when something breaks or is too much. */
  readonly body: Readable | null;
  /** What the connector's time limit leaves for handing it over. */
  readonly millisecondsLeft: number;
  /** Resolves when the last byte is handed on, or nothing more comes. */
  readonly ended: Promise<void>;
}

export interface HandAnswerOptions {
  readonly connector: Connector;
  readonly method: string;
  readonly accessToken: string;
  readonly millisecondsLeft: number;
  readonly count: (bytes: number) => void;
  readonly takeDecoder: TakeDecoder;
}

/**
 * Makes of the third party's answer what the caller gets.
 *
 * @throws {UseRefusal} It cannot be handed on.
 */
export function handAnswer(
  { status, headers, body }: OutboundStreamAnswer,
  { connector, method, accessToken, millisecondsLeft, count, takeDecoder }: HandAnswerOptions,
): HandedAnswer {
  const secrets = spellingsOf(accessToken);
  // Nothing at all is no compressed body either, although some third parties say so.
  const isEmpty = headerValues(headers, "content-length")[0] === "0";
  const encoding = isEmpty ? "identity" : encodingOf(headerValues(headers, "content-encoding"));
  const hasBody = method !== "HEAD" && status !== 204 && status !== 205 && status !== 304;
  try {
    checkAnswer({ connector, status, length: hasBody ? lengthOf(headers) : 0 });
    if (hasBody && (encoding === undefined || (encoding !== "identity" && status === 206))) {
      throw unreadable(connector);
    }
  } catch (error) {
    body.on("error", () => undefined).destroy();
    throw error;
  }
  // A 204 has no length either (RFC 9110 §8.6).
  const decoded = encoding !== "identity" || status === 204;
  const handed = { status, millisecondsLeft, headers: answerHeaders(headers, { decoded, secrets }) };
  if (!hasBody || encoding === undefined) {
    body.on("error", () => undefined);
    // The only one of them that can come with a body all the same.
    if (status === 205) body.destroy();
    else body.resume();
    return { ...handed, body: null, ended: Promise.resolve() };
  }
  const giveDecoderBack = takeDecoder(encoding);
  if (giveDecoderBack === undefined) {
    body.on("error", () => undefined).destroy();
    throw tooManyDecoders(connector);
  }
  const mostBytes = connector.limits.responseBytes;
  const guarded = guardAnswer(body, { encoding, mostBytes, secrets, count });
  const ended = new Promise<void>((resolve) => {
    finished(guarded, () => {
      giveDecoderBack();
      resolve();
    });
  });
  return { ...handed, body: guarded, ended };
}

function lengthOf(headers: OutboundStreamAnswer["headers"]): number {
  return Number(headerValues(headers, "content-length")[0] ?? "0");
}

function checkAnswer(answer: { connector: Connector; status: number; length: number }): void {
  const { connector, status, length } = answer;
  const { name, limits } = connector;
  if (status < 200 || status > 599) {
    const message = `${name} answered with a status that does not exist.`;
    const proxyError = "http_protocol_error";
    throw new UseRefusal({
      code: "provider_unreachable",
      reason: "status",
      message,
      proxyError,
      sent: "maybe",
    });
  }
  if (length <= limits.responseBytes) return;
  const most = `${String(limits.responseBytes)} bytes`;
  const message = `${name} answered with more than ${most}. Ask for less, or ask an administrator to allow more.`;
  throw new UseRefusal({ code: "response_too_large", message, sent: "maybe" });
}

/** Where the token cannot be found, nothing is handed on. */
function unreadable({ name }: Connector): UseRefusal {
  const message = `${name} answered in an encoding that cannot be read here, although it was asked for none.`;
  const proxyError = "http_response_content_coding";
  return new UseRefusal({
    code: "provider_unreachable",
    reason: "encoding",
    message,
    proxyError,
    sent: "maybe",
  });
}

function tooManyDecoders({ name }: Connector): UseRefusal {
  const message = `${name} answered with brotli, although it was asked for none, and the server is decoding as much of it as it can. Look there before you send it again.`;
  return new UseRefusal({
    code: "temporarily_unavailable",
    reason: "too_many_decoders",
    message,
    sent: "maybe",
    retryAfterSeconds: 1,
  });
}
