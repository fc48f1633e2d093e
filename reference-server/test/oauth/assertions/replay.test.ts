import { afterAll, beforeAll, expect, test } from "vitest";
import type { AssertionProvider } from "../../support/assertion-provider.js";
import { type AssertionWorld, startAssertionWorld } from "../../support/assertions.js";

let world: AssertionWorld;
let provider: AssertionProvider;
let origins: readonly string[];
beforeAll(async () => {
  world = await startAssertionWorld();
  provider = await world.addProvider("ES256");
  origins = [world.system.issuer, await world.system.startSecondInstance()];
});
afterAll(() => world.close());

const present = (assertion: string, index: number, proofs: readonly string[] = []) =>
  world.present(assertion, { call: { origin: origins[index % 2] ?? "", proofs } });

test("an assertion is redeemed once, however many processes get it at the same time", async () => {
  const issued = (await world.system.audit("token.issued")).length;
  const assertion = await provider.sign(world.claims());
  const answers = await Promise.all(Array.from({ length: 16 }, (_, index) => present(assertion, index)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body["error"]);
  expect(new Set(refused)).toEqual(new Set(["invalid_grant"]));
  expect(await world.system.audit("token.issued")).toHaveLength(issued + 1);
  const reasons = (await world.system.audit("token.refused")).map(({ data }) => data["reason"]);
  expect(reasons).toContain("assertion_replayed");
});

test("the same identifier of another issuer is another assertion", async () => {
  const other = await world.addProvider("ES256");
  const claims = { jti: "one-for-both" };
  const assertions = await Promise.all(
    [provider, other].map((from) => from.sign(world.claims(), { claims })),
  );
  const answers = await Promise.all(assertions.map((assertion, index) => present(assertion, index)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test("a refused request leaves its assertion as good as it was", async () => {
  const assertion = await provider.sign(world.claims());
  const wrong = await world.present(assertion, { parameters: { scope: "contracts:write" } });
  expect(wrong.body["error"]).toBe("invalid_scope");
  expect((await present(assertion, 1)).status).toBe(200);
  expect((await present(assertion, 0)).body).toEqual({
    error: "invalid_grant",
    error_description: "The assertion was redeemed before. Get a new one.",
  });
});

test("with a proof that was used before neither is used up", async () => {
  const proofs = [world.device.proof()];
  const first = await provider.sign(world.claims());
  expect((await present(first, 0, proofs)).status).toBe(200);
  const second = await provider.sign(world.claims());
  expect((await present(second, 1, proofs)).body["error"]).toBe("invalid_dpop_proof");
  expect((await present(second, 1)).status).toBe(200);
});

test("of two accounts with the same address at once, one is linked to the user and the other refused", async () => {
  const other = await world.addProvider("ES256");
  await world.system.database.query("DELETE FROM user_identities WHERE user_id = $1", [world.adaId]);
  const assertions = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      other.sign(world.claims(), {
        claims: { sub: `account-${index}`, email: "ada@acme.example", email_verified: true },
      }),
    ),
  );
  const answers = await Promise.all(assertions.map((assertion, index) => present(assertion, index)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const linked = await world.system.database.query("SELECT subject FROM user_identities WHERE user_id = $1", [
    world.adaId,
  ]);
  expect(linked).toHaveLength(1);
});

test("the same account for the first time in two processes at once is one account", async () => {
  const other = await world.addProvider("ES256");
  await world.system.database.query("DELETE FROM user_identities WHERE user_id = $1", [world.adaId]);
  const claims = { sub: "new-account", email: "ada@acme.example", email_verified: true };
  const assertions = await Promise.all(
    Array.from({ length: 4 }, () => other.sign(world.claims(), { claims })),
  );
  const answers = await Promise.all(assertions.map((assertion, index) => present(assertion, index)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
