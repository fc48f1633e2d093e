import type { Readable } from "node:stream";
import { coverText } from "@authz/dpop/cover";
import type { OutboundStreamAnswer } from "../platform/outbound/outbound-stream.js";
import { answerHeaders } from "./answer-headers.js";
import { encodingOf, type TakeDecoder } from "./decode-answer.js";
import type { Destination } from "./destination.js";
import { guardAnswer } from "./guard-body.js";
import { headerValues } from "./header-lines.js";
import { refusals } from "./refusals.js";

/** The answer as the caller gets it. */
export interface HandedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Every `WWW-Authenticate`: it concerns this server's credential, so it is explained to the caller and not passed on. */
  readonly challenges: readonly string[];
  /** Lower-case names of the request's headers that were not sent on. */
  readonly leftOut: readonly string[];
  /** The addresses that the destination covers. */
  readonly requestPrefixes: readonly string[];
  /** `null`: this answer never has one. It ends with an error when it breaks or is too long. */
  readonly body: Readable | null;
  /** What is left of the time limit for reading it. */
  readonly millisecondsLeft: number;
  /** Resolves when the last byte is passed on, or nothing more comes. */
  readonly ended: Promise<void>;
}

export interface HandAnswerOptions {
  readonly destination: Destination;
  /** Names of the request's headers that were not sent on. */
  readonly leftOut: readonly string[];
  readonly method: string;
  /** The credential, which the caller must not see. */
  readonly secrets: readonly string[];
  readonly millisecondsLeft: number;
  readonly count: (bytes: number) => void;
  readonly takeDecoder: TakeDecoder;
}

/**
 * Turns an answer into what the caller gets.
 *
 * @throws {UseRefusal} It cannot be passed on.
 */
export function handAnswer(
  { status, headers, body }: OutboundStreamAnswer,
  { destination, leftOut, method, secrets, millisecondsLeft, count, takeDecoder }: HandAnswerOptions,
): HandedAnswer {
  // Some servers name an encoding although the body is empty.
  const isEmpty = headerValues(headers, "content-length")[0] === "0";
  const encoding = isEmpty ? "identity" : encodingOf(headerValues(headers, "content-encoding"));
  const hasBody = method !== "HEAD" && status !== 204 && status !== 205 && status !== 304;
  try {
    if (status < 200 || status > 599) throw refusals.impossibleStatus(destination);
    if (hasBody && lengthOf(headers) > destination.limits.responseBytes)
      throw refusals.responseTooLarge(destination);
    if (hasBody && (encoding === undefined || (encoding !== "identity" && status === 206))) {
      throw refusals.unreadableEncoding(destination);
    }
  } catch (error) {
    body.on("error", () => undefined).destroy();
    throw error;
  }
  // A 204 has no length either (RFC 9110 §8.6).
  const decoded = encoding !== "identity" || status === 204;
  const handed = {
    status,
    millisecondsLeft,
    leftOut,
    requestPrefixes: destination.requestPrefixes,
    headers: answerHeaders(headers, { decoded, secrets }),
    challenges: headerValues(headers, "www-authenticate").map((value) => coverText(value, secrets)),
  };
  if (!hasBody || encoding === undefined) {
    body.on("error", () => undefined);
    // The only one of them that may have a body on the wire.
    if (status === 205) body.destroy();
    else body.resume();
    return { ...handed, body: null, ended: Promise.resolve() };
  }
  const giveDecoderBack = takeDecoder(encoding);
  if (giveDecoderBack === undefined) {
    body.on("error", () => undefined).destroy();
    throw refusals.tooManyDecoders(destination);
  }
  const mostBytes = destination.limits.responseBytes;
  const guarded = guardAnswer(body, { encoding, mostBytes, secrets, count });
  const ended = new Promise<void>((resolve) => {
    guarded.once("close", () => {
      giveDecoderBack();
      resolve();
    });
  });
  return { ...handed, body: guarded, ended };
}

function lengthOf(headers: OutboundStreamAnswer["headers"]): number {
  return Number(headerValues(headers, "content-length")[0] ?? "0");
}
