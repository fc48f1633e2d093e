import { OutboundError, wasSent } from "../../platform/outbound/outbound-error.js";
import type { OutboundFetch, OutboundRequest } from "../../platform/outbound/outbound-fetch.js";
import { isJsonObject, type JsonObject } from "@authz/dpop/jws";
import { ProviderError } from "./provider-error.js";

/** A complete answer of a third party. */
export interface ProviderAnswer {
  readonly status: number;
  /** `undefined` when the body is no JSON object. */
  readonly body: JsonObject | undefined;
}

/** Answers about tokens and accounts are shorter. */
const maximumCharacters = 64 * 1024;

/**
 * Sends a request to a third party and reads the answer.
 *
 * @throws {ProviderError} `unreachable`, `no_answer`, `rate_limited`, `invalid_answer`
 */
export async function askProvider(
  outboundFetch: OutboundFetch,
  url: string,
  request: OutboundRequest,
): Promise<ProviderAnswer> {
  const { response, text } = await send(outboundFetch, url, request);
  const { status } = response;
  if (status >= 500) throw new ProviderError("no_answer", { detail: `status ${status}` });
  if (status === 429) {
    const seconds = Number(response.headers.get("retry-after") ?? "");
    const retryAfterSeconds = Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 3600) : 60;
    throw new ProviderError("rate_limited", { detail: `status ${status}`, retryAfterSeconds });
  }
  if (text.length > maximumCharacters) throw new ProviderError("invalid_answer", { detail: "too long" });
  return { status, body: parseObject(text) };
}

async function send(
  outboundFetch: OutboundFetch,
  url: string,
  request: OutboundRequest,
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    const response = await outboundFetch(url, request);
    return { response, text: await response.text() };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw fromOutboundError(error);
  }
}

function fromOutboundError({ reason, cause }: OutboundError): ProviderError {
  const detail = reason;
  switch (reason) {
    case "invalid_url":
    case "insecure_url":
    case "forbidden_address":
      return new ProviderError("unreachable", { detail });
    case "redirect":
    case "too_large":
      return new ProviderError("invalid_answer", { detail });
    case "timeout":
      return new ProviderError("no_answer", { detail });
    case "unreachable":
    default:
      return new ProviderError(wasSent(cause) ? "no_answer" : "unreachable", { detail });
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
