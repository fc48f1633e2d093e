import type { AuthzErrorReason, AuthzResponse } from "@authz/verify";
import { expect } from "vitest";

/** A request that was refused: the answer, and what the log says about it. */
export class Refused extends Error {
  readonly answer: AuthzResponse;
  readonly reason: AuthzErrorReason | undefined;

  constructor(answer: AuthzResponse, reason: AuthzErrorReason | undefined) {
    super(`${answer.status} ${String(errorOf(answer))} (${reason})`);
    this.answer = answer;
    this.reason = reason;
  }

  get code(): unknown {
    return errorOf(this.answer);
  }
}

/** The refusal that a promise was rejected with. */
export async function refusalOf(promise: Promise<unknown>): Promise<Refused> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refused);
  return error as Refused;
}

/** The `error` of an answer's body. */
export function errorOf(answer: AuthzResponse): unknown {
  return (JSON.parse(answer.body) as { error?: unknown }).error;
}
