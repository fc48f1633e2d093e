import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import { resourceRecord } from "../support/records.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";

let server: AdminServer;
let bea: SignedInPerson;
const ids = { pending: randomUUID(), declined: randomUUID() };
beforeAll(async () => {
  server = await createAdminServer();
  const { store } = server.context;
  const now = new Date(server.clock());
  bea = await server.signIn("Bea");
  const resourceId = randomUUID();
  await store.resources.save(resourceRecord({ id: resourceId, supportedScopes: [] }), now);
  for (const id of Object.values(ids))
    await store.approvals.insert({
      id,
      resourceId,
      connectorId: null,
      userId: bea.user.id,
      clientId: "authz-cli",
      grantId: randomUUID(),
      txn: id,
      callDigest: id,
      method: "DELETE",
      url: "https://contracts.acme.example/api/contracts/7",
      detail: { type: "contract_deletion", contract: "Lease" },
      reason: "Contracts cannot be restored.",
      approver: null,
      maxAgeSeconds: null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 600_000),
      intervalSeconds: 5,
    });
  await server.database.query(
    "UPDATE approvals SET state = 'declined', decided_by = $2, decided_at = now() WHERE id = $1",
    [ids.declined, bea.user.id],
  );
});
afterAll(() => server.close());

describe("approvals", () => {
  test.each<[string, readonly string[]]>([
    ["state=pending", ["pending"]],
    ["state=declined&resource=contracts&client=authz-cli", ["declined"]],
    ["resource=other", []],
    ["client=other", []],
    ["state=collected", []],
  ])("are listed by %s, without their details", async (query, found) => {
    const { status, body } = await server.request("GET", `/approvals?${query}`);
    expect(status).toBe(200);
    const { items } = body as { items: readonly Record<string, unknown>[] };
    expect(items.map(({ id }) => id)).toEqual(found.map((name) => ids[name as keyof typeof ids]));
    expect(JSON.stringify(items)).not.toContain("Lease");
  });

  test("are shown with the call as the service signed it", async () => {
    const { body } = await server.request("GET", `/approvals/${ids.declined}`);
    expect(body).toMatchObject({
      state: "declined",
      person: { id: bea.user.id },
      decidedBy: { id: bea.user.id },
      url: "https://contracts.acme.example/api/contracts/7",
      detail: { contract: "Lease" },
      tokenId: null,
    });
  });

  test("are linked from their events", async () => {
    const at = new Date(server.clock());
    const approval = { approval: ids.pending, resource: "https://contracts.acme.example/api" };
    await recordAudit(server.context.store, {
      type: "approval.asked",
      outcome: "success",
      actor: { type: "client", id: "authz-cli" },
      at,
      subject: bea.user.id,
      clientId: "authz-cli",
      data: { ...approval, detail: "contract_deletion", method: "DELETE", txn: ids.pending },
    });
    const { body } = await server.request("GET", "/audit-events?type=approval.asked");
    const [event] = body["items"] as readonly { readonly links: readonly object[] }[];
    expect(event?.links).toContainEqual({ type: "approval", id: ids.pending, name: null });
  });

  test("are not there under another id", async () => {
    expect((await server.request("GET", `/approvals/${randomUUID()}`)).status).toBe(404);
  });
});
