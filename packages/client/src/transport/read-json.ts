import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { AuthzClientError } from "../errors.js";
import { quoted } from "./quoted.js";
import type { TransportAnswer } from "./transport.js";

const maxJsonBytes = 2 * 1024 * 1024;

/**
 * Reads an answer's body as one JSON object of at most 2 MiB.
 *
 * @throws {AuthzClientError} `invalid_answer`
 */
export async function readJsonObject(answer: TransportAnswer, from: string): Promise<JsonObject> {
  const type = (answer.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json")) {
    answer.discard();
    throw invalidAnswer(from, `It is ${type === "" ? "of no declared type" : quoted(type)}, not JSON.`);
  }
  const text = await readText(answer, from);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalidAnswer(from, "It is not valid JSON.", cause);
  }
  if (!isJsonObject(value)) throw invalidAnswer(from, "It is not a JSON object.");
  return value;
}

/** Reads an answer's body, which may have so many bytes. @throws {AuthzClientError} `invalid_answer`, `unreachable` */
export async function readBytes(answer: TransportAnswer, from: string, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body) {
      size += chunk.byteLength;
      if (size > most) throw invalidAnswer(from, `It is larger than ${String(most)} bytes.`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AuthzClientError) throw cause;
    throw unreachable(from, cause);
  }
  return Buffer.concat(chunks);
}

async function readText(answer: TransportAnswer, from: string): Promise<string> {
  const bytes = await readBytes(answer, from, maxJsonBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidAnswer(from, "It is not valid UTF-8.", cause);
  }
}

/** The error for an answer that is not what the protocol promises. */
export function invalidAnswer(from: string, why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("answer_invalid", {
    what: `The answer from ${from} cannot be used.`,
    why,
    cause,
  });
}

/** The error for an address that did not answer, or answered that it cannot at the moment. */
export function unreachable(from: string, cause: unknown): AuthzClientError {
  return new AuthzClientError("no_answer", {
    what: `${from} could not be reached.`,
    why: typeof cause === "string" ? cause : describeNetworkError(cause),
    cause,
  });
}

/** What a server says about itself when it cannot do something at the moment. */
export interface Unavailability {
  description?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The error for an answer that says that the server cannot do it at the moment, in its own words where it has some. */
export function unavailable(
  from: string,
  status: number,
  { description, retryAfterSeconds }: Unavailability,
): AuthzClientError {
  if (description === undefined)
    return unreachable(from, `It answered ${String(status)}: it cannot work at the moment.`);
  return new AuthzClientError("unavailable", {
    what: `${from} cannot do this at the moment.`,
    why: `It says: "${description}"`,
    retryAfterSeconds,
  });
}

const maxDescription = 500;

/** Reads what an answer says about why the server cannot do something; nothing when it is not readable. */
export async function readUnavailability(answer: TransportAnswer, from: string): Promise<Unavailability> {
  const seconds = answer.headers["retry-after"] ?? "";
  const body = await readJsonObject(answer, from).catch(() => undefined);
  const description = body?.error_description;
  return {
    ...(typeof description === "string" && description !== ""
      ? { description: description.slice(0, maxDescription) }
      : {}),
    ...(/^\d{1,6}$/.test(seconds) ? { retryAfterSeconds: Number(seconds) } : {}),
  };
}

/** The error for an answer that began and did not end. */
export function brokenOff(from: string, cause: unknown): AuthzClientError {
  return new AuthzClientError("answer_broken_off", {
    what: `The answer from ${from} broke off.`,
    why: describeNetworkError(cause),
    cause,
  });
}

/** The same body, which fails in its own way when it does not come to its end. */
export async function* untilBroken(
  body: AsyncIterable<Uint8Array>,
  failure: (cause: unknown) => AuthzClientError,
): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw failure(cause);
  }
}

const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing accepts connections at this address.",
  ECONNRESET: "The connection was closed before the whole answer arrived.",
  EPIPE: "The connection was closed before the request was sent.",
  ENOTFOUND: "The name of the host is not known.",
  EAI_AGAIN: "The name of the host could not be looked up.",
  ETIMEDOUT: "The connection timed out.",
  EHOSTUNREACH: "There is no route to the host.",
  ENETUNREACH: "There is no route to the network.",
  CERT_HAS_EXPIRED: "The certificate of the host has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate of the host is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate chain ends in an authority this computer does not know.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate was issued by an authority this computer does not know.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The certificate was issued by an authority this computer does not know.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate belongs to another host.",
};

/** The code of a proxy's failure to connect to the host. */
export const noTunnelCode = "ERR_AUTHZ_NO_TUNNEL";

/** Failures before a connection stands, when no byte of a request has left. */
const notSent: ReadonlySet<string> = new Set([
  noTunnelCode,
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Whether a failure says that nothing of a request was sent. */
export function wasNotSent(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string" && notSent.has(current.code)) return true;
  }
  return false;
}

function describeNetworkError(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    const known = networkErrors[code];
    if (known !== undefined) return known;
  }
  return error instanceof Error && error.message !== "" ? error.message : "No answer arrived.";
}
