import { AuthzError, type AuthzResponse } from "@authz/verify";
import { expect } from "vitest";

/** The error that a promise was rejected with, which has to be one of ours. */
export async function refusalOf(promise: Promise<unknown>): Promise<AuthzError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AuthzError);
  return error as AuthzError;
}

/** The `error` of an answer's body. */
export function errorOf(answer: AuthzResponse): unknown {
  return (JSON.parse(answer.body) as { error?: unknown }).error;
}
