import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Caller } from "../../../src/oauth/tokens/identify-caller.js";
import type { HandedAnswer } from "../../../src/forwarding/hand-answer.js";
import { recordOrphanedCalls } from "../../../src/forwarding/call-record.js";
import { type ServiceCalling, startServiceCalling } from "./service-calls.js";

const agents = 200;
const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(64 * 1024, "a");

let calling: ServiceCalling;
let callers: readonly Caller[];
beforeAll(async () => {
  calling = await startServiceCalling();
  callers = await hire(calling);
});
afterAll(() => calling.close());
beforeEach(() => calling.api.forget());

/** Many people, each with an app that is signed in. */
async function hire({ system, caller }: ServiceCalling): Promise<readonly Caller[]> {
  const ada = await caller();
  const people = Array.from({ length: agents }, (_, index) => ({
    user: { ...ada.user, id: randomUUID(), email: `agent-${index}@acme.example` },
    grant: { ...ada.grant, id: randomUUID() },
  }));
  const list = JSON.stringify(
    people.map(({ user, grant }) => ({ id: user.id, email: user.email, grant_id: grant.id })),
  );
  const wanted = "json_to_recordset($1::json) AS w (id uuid, email text, grant_id uuid)";
  await system.database.query(
    `INSERT INTO users (id, email, name) SELECT id, email, 'Agent' FROM ${wanted}`,
    [list],
  );
  await system.database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
     SELECT w.grant_id, w.id, g.client_id, g.jkt, g.scopes, g.auth_time, g.amr, g.created_at, g.expires_at
     FROM ${wanted}, grants g WHERE g.id = $2`,
    [list, ada.grant.id],
  );
  return people.map(({ user, grant }) => ({
    ...ada,
    user,
    grant: { ...grant, userId: user.id },
    permissions: {
      user,
      assignments: [{ id: randomUUID(), email: user.email, scope: "contracts:read" }],
      undecided: [],
    },
  }));
}

async function readAll({ body }: HandedAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (body !== null) for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("200 agents at once: every call arrives once, every answer is its own, and each is one event", async () => {
  const { api, first, system, request } = calling;
  api.answer = ({ headers }, response) => void response.end(String(headers["x-agent"]));
  const said = await Promise.all(
    callers.map(async (caller, index) => {
      const call = await request({
        caller,
        method: "POST",
        url: `${api.origin}/v1/things`,
        headers: [["x-agent", `agent-${index}`]],
        body: Buffer.from("body"),
        requestId: `many-${index}`,
      });
      return (await readAll(await first.call(call))).toString();
    }),
  );
  expect(said).toEqual(callers.map((_, index) => `agent-${index}`));
  expect(api.seen).toHaveLength(agents);
  expect(new Set(api.seen.map(({ headers }) => headers["x-agent"])).size).toBe(agents);
  expect(new Set(api.seen.map(({ headers }) => headers.authorization)).size).toBe(agents);
  const recorded = () =>
    system.database.query("SELECT DISTINCT request_id FROM audit_events WHERE request_id LIKE 'many-%'");
  await expect.poll(async () => (await recorded()).length).toBe(agents);
  expect(await system.database.query("SELECT FROM forwarded_calls")).toEqual([]);
});

test("200 unread answers wait at their sources, not in memory", async () => {
  const { api, first, request } = calling;
  const bytes = 2 * mebibyte;
  api.answer = (_request, response) => {
    response.writeHead(200, { "content-length": bytes });
    let left = bytes;
    const give = () => {
      while (left > 0) {
        left -= piece.length;
        if (!response.write(piece)) break;
      }
      if (left > 0) response.once("drain", give);
      else response.end();
    };
    give();
  };
  const before = process.memoryUsage().arrayBuffers;
  const answers = await Promise.all(
    callers.map(async (caller) => await first.call(await request({ caller, url: `${api.origin}/v1/large` }))),
  );
  // What the process keeps of each is a few pieces; all of them together are 400 MiB.
  const held = answers.map(({ body }) => body?.readableLength ?? 0);
  expect(Math.max(...held)).toBeLessThan(mebibyte);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150 * mebibyte);
  const lengths = await Promise.all(
    answers.map(async ({ body }) => {
      let length = 0;
      if (body !== null) for await (const chunk of body as AsyncIterable<Buffer>) length += chunk.length;
      return length;
    }),
  );
  expect(new Set(lengths)).toEqual(new Set([bytes]));
});

test("concurrent calls of one person are limited; a caller that goes away releases its slot", async () => {
  const { api, first, request, refused } = calling;
  api.answer = () => undefined;
  const leaving = Array.from({ length: 64 }, () => new AbortController());
  const calls = leaving.map(async ({ signal }) =>
    first.call(await request({ url: `${api.origin}/v1`, signal })),
  );
  await expect.poll(() => api.seen.length, { timeout: 10_000 }).toBe(64);
  expect(await refused({ url: `${api.origin}/v1` })).toMatchObject({
    reason: "too_many_at_once",
    sent: "no",
  });
  for (const leave of leaving) leave.abort(new Error("gone"));
  expect((await Promise.allSettled(calls)).every(({ status }) => status === "rejected")).toBe(true);
  api.answer = (_request, response) => void response.end("ok");
  expect((await calling.send({ url: `${api.origin}/v1` })).status).toBe(200);
});

test("a call whose process is lost is recorded once, without an outcome", async () => {
  const { plain, system, clientId } = calling;
  const { store } = system.server.context;
  const { user, grant } = await calling.caller();
  const startedAt = new Date();
  const url = new URL(`${calling.api.origin}/v1/${randomBytes(4).toString("hex")}`);
  const begun = await store.forwardedCalls.beginAtService({
    id: randomUUID(),
    userId: user.id,
    clientId,
    requestId: "lost",
    method: "POST",
    host: url.host,
    startedAt,
    grantId: grant.id,
    origin: url.origin,
    places: [url.origin, `${url.origin}/v1`, url.href],
    endsBefore: new Date(startedAt.getTime() + 1000),
  });
  expect([begun.begun, begun.pathTemplate]).toEqual([true, "/v1/{…}"]);
  expect(await recordOrphanedCalls(store, startedAt)).toBe(0);
  const later = new Date(startedAt.getTime() + 2000);
  const both = [recordOrphanedCalls(store, later), recordOrphanedCalls(store, later)];
  expect((await Promise.all(both)).reduce((sum, count) => sum + count)).toBe(1);
  const [event] = await system.database.query<{ outcome: string; data: object }>(
    "SELECT outcome, data FROM audit_events WHERE request_id = 'lost'",
  );
  expect(event).toEqual({
    outcome: "failed",
    data: {
      resource: plain.key,
      grantId: grant.id,
      method: "POST",
      host: url.host,
      pathTemplate: "/v1/{…}",
      status: null,
      durationMs: null,
      requestBytes: null,
      responseBytes: null,
    },
  });
});
