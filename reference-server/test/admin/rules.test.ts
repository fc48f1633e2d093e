import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { sealAndIndex } from "../support/audit-index.js";
import { resourceRecord } from "../support/records.js";

let server: AdminServer;
let bea: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  const { store } = server.context;
  await store.resources.save(
    resourceRecord({ id: randomUUID(), rules: [{ default: "refuse" }] }),
    new Date(server.clock()),
  );
  bea = await server.signIn("Bea");
  for (const [index, method] of ["GET", "POST", "DELETE", "POST", "POST"].entries()) {
    const at = new Date(server.clock() - 60_000 + index * 1000);
    const actor = { type: "user", id: bea.user.id } as const;
    const sent = { host: "contracts.acme.example", pathTemplate: "/api/{…}", status: 200 } as const;
    const sizes = { durationMs: 1, requestBytes: 0, responseBytes: 0 };
    await recordAudit(store, {
      type: "service.called",
      outcome: "success",
      actor,
      at,
      subject: bea.user.id,
      clientId: "authz-cli",
      data: {
        resource: index === 4 ? "other" : "contracts",
        grantId: randomUUID(),
        method,
        ...sent,
        ...sizes,
      },
    });
  }
  await sealAndIndex(server.context);
});
afterAll(() => server.close());

async function tryRules(rules?: readonly object[]): Promise<Record<string, unknown>> {
  const body = rules === undefined ? {} : { rules };
  const answer = await server.request("POST", "/resources/contracts/rules/trials", { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

test("a trial says which of the last calls of the service would have asked", async () => {
  const body = await tryRules([{ methods: ["DELETE"], ask: "self" }, { default: "allow" }]);
  expect(body).toMatchObject({ calls: 4, allowed: 3, asked: 1, refused: 0, unclear: 0 });
  expect(body["items"]).toMatchObject([
    {
      method: "DELETE",
      host: "contracts.acme.example",
      path: "/api/{…}",
      person: bea.user.email,
      clientId: "authz-cli",
      outcome: "ask",
      rule: 1,
    },
  ]);
});

test("a trial counts limits in the order of the calls, and says what cannot be told", async () => {
  const limit = { methods: ["POST"], limit: { calls: 1, per: "day" }, beyond: "refuse" };
  expect(await tryRules([limit, { default: "allow" }])).toMatchObject({ allowed: 3, refused: 1 });
  const amount = { methods: ["POST"], when: "body.amount > 1000", ask: "self" };
  expect(await tryRules([amount, { default: "allow" }])).toMatchObject({ allowed: 2, unclear: 2 });
});

test("a trial without rules is about those that are stored, and stores nothing", async () => {
  const recorded = (await server.audit()).length;
  expect(await tryRules()).toMatchObject({ calls: 4, refused: 4 });
  expect(await tryRules([])).toMatchObject({ calls: 4, allowed: 4, items: [] });
  expect(await server.audit()).toHaveLength(recorded);
});

test("rules that could not be saved cannot be tried", async () => {
  const answer = await server.request("POST", "/resources/contracts/rules/trials", {
    body: { rules: [{ ask: "self" }] },
  });
  expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
  expect((await server.request("POST", "/resources/none/rules/trials", { body: {} })).status).toBe(404);
});
