import { DpopError, ReplayStoreUnavailableError } from "@authz/dpop";
import { JwsError } from "@authz/dpop/jws";
import { expect, test } from "vitest";

test("a refusal says what is wrong and what to do, and keeps its cause", () => {
  const error = new DpopError("missing_nonce");
  expect(error).toMatchObject({ name: "DpopError", code: "use_dpop_nonce", reason: "missing_nonce" });
  expect(error.message).toContain("DPoP-Nonce");
});

test("a malformed proof says which rule it broke", () => {
  const cause = new JwsError("duplicate_member");
  const error = new DpopError(cause.reason, { cause });
  expect(error).toMatchObject({ code: "invalid_dpop_proof", reason: "duplicate_member", cause });
  expect(error.message).toBe("The proof is malformed. A JSON object has the same member twice.");
  expect(new DpopError("too_large").message).toBe("The proof is malformed.");
});

test("an unavailable store is no refusal", () => {
  const error = new ReplayStoreUnavailableError("down", { cause: 1 });
  expect(error).not.toBeInstanceOf(DpopError);
  expect(error).toMatchObject({ name: "ReplayStoreUnavailableError", message: "down", cause: 1 });
});
