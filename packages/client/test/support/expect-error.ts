import { expect } from "vitest";
import { AuthzClientError, type AuthzClientErrorCode } from "../../src/index.js";

/** Runs something that must fail with a code, and answers with the error for further checks. */
export async function expectFailure(
  run: Promise<unknown>,
  code: AuthzClientErrorCode,
): Promise<AuthzClientError> {
  const error = await run.then(
    () => new Error("It did not fail."),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AuthzClientError)) throw error;
  expect({ code: error.code, message: error.message }).toEqual({ code, message: error.message });
  return error;
}
