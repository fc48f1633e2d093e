import { AuthzClientError } from "../errors.js";
import { isScope } from "../scope.js";
import { isJsonObject, readJsonObject } from "../transport/read-answer.js";
import type { TransportAnswer } from "../transport/transport.js";
import type { Refusal } from "./connection-errors.js";

/** Reads an answer that is a refusal; undefined when it does not look like one of this server. Reads the body in any case. */
export async function readRefusal(answer: TransportAnswer, from: string): Promise<Refusal | undefined> {
  let body: unknown;
  try {
    body = await readJsonObject(answer, from);
  } catch (error) {
    if (error instanceof AuthzClientError) return undefined;
    throw error;
  }
  if (!isJsonObject(body) || typeof body.error !== "string") return undefined;
  const { error, error_description: description, scope, sent } = body;
  const seconds = answer.headers["retry-after"] ?? "";
  return {
    error,
    ...(typeof description === "string" && description !== "" ? { description } : {}),
    ...(typeof scope === "string" ? { scopes: scope.split(" ").filter(isScope) } : {}),
    ...(sent === "no" || sent === "maybe" ? { sent } : {}),
    ...(/^\d{1,6}$/.test(seconds) ? { retryAfterSeconds: Number(seconds) } : {}),
  };
}
