import type { Readable } from "node:stream";
import type { OutboundStreamAnswer } from "../platform/outbound/outbound-stream.js";
import type { BegunCall, CallEnd } from "./call-record.js";
import type { Destination } from "./destination.js";
import type { Forwarder } from "./forwarder.js";
import { type HandedAnswer, handAnswer } from "./hand-answer.js";
import type { HeaderLine } from "./header-lines.js";
import { refusals, streamRefusal } from "./refusals.js";
import { methodOverrideOf, onwardHeaders, sortHeaders } from "./request-headers.js";
import type { UploadOptions } from "./upload-body.js";

/** The body of a request: complete, or opened when it is sent, and then there is only one attempt. */
type ForwardedBody = Buffer | ((options: UploadOptions) => Readable) | undefined;

/** What a caller wants to have sent. */
export interface ForwardedParts {
  readonly method: string;
  readonly headers: readonly HeaderLine[];
  /** Of a body that is opened, if the caller states it. */
  readonly contentLength?: number | undefined;
  readonly body: ForwardedBody;
  /** The caller went away. */
  readonly signal: AbortSignal;
}

/** What authenticates a request to the other side. */
export interface Credential {
  readonly headers: readonly HeaderLine[];
  /** The parts of it that the caller must not see. */
  readonly secrets: readonly string[];
}

/** A request that is allowed and noted, and has a slot. */
export interface AllowedCall {
  readonly request: ForwardedParts;
  readonly destination: Destination;
  readonly url: URL;
  readonly credential: Credential;
  /**
   * Called with the beginning of an answer. The request is sent again with the credential that it returns, unless its body is opened.
   */
  readonly received: (
    answer: OutboundStreamAnswer,
  ) => Promise<Credential | undefined> | Credential | undefined;
  /** Requests of different owners never share a connection. */
  readonly owner: string;
  readonly call: BegunCall;
  readonly giveSlotBack: () => void;
}

/** @throws {UseRefusal} The method is not allowed. */
export function checkMethod(
  { method, headers }: Pick<ForwardedParts, "method" | "headers">,
  destination: Destination,
  methods: readonly string[],
): void {
  if (!methods.includes(method)) throw refusals.method(destination, methods);
  if (methodOverrideOf(headers) !== undefined) throw refusals.methodOverride(methods);
}

/** @throws {UseRefusal} The body is known to be too long. */
export function checkLength(
  request: Pick<ForwardedParts, "body" | "contentLength">,
  destination: Destination,
): void {
  if ((lengthOf(request) ?? 0) > destination.limits.requestBytes) {
    throw refusals.requestTooLarge(destination, "no");
  }
}

function lengthOf({
  body,
  contentLength,
}: Pick<ForwardedParts, "body" | "contentLength">): number | undefined {
  if (body === undefined) return undefined;
  return Buffer.isBuffer(body) ? body.length : contentLength;
}

/**
 * Sends a request and hands back the beginning of the answer. The call ends with the last byte of the answer, which may be long after
 * this returns.
 *
 * @throws {UseRefusal} There is no answer; `sent` tells whether the request may have been sent.
 */
export async function exchange(allowed: AllowedCall, forwarder: Forwarder): Promise<HandedAnswer> {
  const { request, destination, call, giveSlotBack } = allowed;
  const signal = AbortSignal.any([request.signal, call.signal]);
  const sum: { -readonly [Name in keyof CallEnd]: CallEnd[Name] } = {
    status: null,
    requestBytes: 0,
    responseBytes: 0,
  };
  const finish = () => {
    giveSlotBack();
    call.end(sum);
  };
  const endsAt = performance.now() + destination.limits.timeoutSeconds * 1000;
  const millisecondsLeft = () => Math.max(endsAt - performance.now(), 0);
  const count = (bytes: number) => void (sum.requestBytes += bytes);
  try {
    let { credential } = allowed;
    let answer = await send(
      allowed,
      { credential, milliseconds: millisecondsLeft(), count, signal },
      forwarder,
    );
    const other = await allowed.received(answer);
    if (other !== undefined && typeof request.body !== "function") {
      answer.body.on("error", () => undefined).destroy();
      credential = other;
      sum.requestBytes = 0;
      answer = await send(
        allowed,
        { credential, milliseconds: millisecondsLeft(), count, signal },
        forwarder,
      );
      await allowed.received(answer);
    }
    sum.status = answer.status;
    const handed = handAnswer(answer, {
      destination,
      leftOut: sortHeaders(request.headers, destination.requestHeaders).leftOut,
      method: request.method,
      secrets: credential.secrets,
      millisecondsLeft: millisecondsLeft(),
      count: (bytes) => void (sum.responseBytes += bytes),
      takeDecoder: forwarder.takeDecoder,
    });
    void handed.ended.then(finish);
    return handed;
  } catch (error) {
    finish();
    throw streamRefusal(error, destination);
  }
}

interface Attempt {
  readonly credential: Credential;
  readonly milliseconds: number;
  readonly count: (bytes: number) => void;
  readonly signal: AbortSignal;
}

async function send(
  { request, destination, url, owner }: AllowedCall,
  { credential, milliseconds, count, signal }: Attempt,
  { outbound }: Forwarder,
): Promise<OutboundStreamAnswer> {
  const { method, body } = request;
  if (Buffer.isBuffer(body)) count(body.length);
  return await outbound.send({
    method,
    url,
    headers: onwardHeaders(request.headers, {
      declared: destination.requestHeaders,
      credential: credential.headers,
      contentLength: lengthOf(request),
    }),
    body:
      typeof body === "function"
        ? body({ mostBytes: destination.limits.requestBytes, count })
        : (body ?? null),
    timeoutSeconds: milliseconds / 1000,
    signal,
    owner,
  });
}
