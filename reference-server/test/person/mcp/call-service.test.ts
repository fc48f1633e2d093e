import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ServiceCalling, startServiceCalling } from "./service-calls.js";

let calling: ServiceCalling;
beforeAll(async () => {
  calling = await startServiceCalling();
});
afterAll(() => calling.close());
beforeEach(() => calling.api.forget());

const store = () => calling.system.server.context.store;
const plainUrl = (path = "") => `${calling.api.origin}/v1${path}`;

describe("a call to a service that is built with the SDK", () => {
  test("carries the person, and the app as the one who acts", async () => {
    const { status, body } = await calling.send();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      identity: { type: "user", email: "ada@acme.example", name: "Ada Lovelace" },
      scopes: ["contracts:read"],
      clientId: calling.clientId,
      actor: { subject: calling.clientId },
    });
  });

  test("is made again with the same token and another proof", async () => {
    const statuses = [await calling.send(), await calling.send(), await calling.send({}, calling.second)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("has the scopes that are asked for, and the service decides over them", async () => {
    expect((await calling.send({ scopes: ["contracts:read"] })).status).toBe(200);
    expect((await calling.send({ method: "POST", body: Buffer.from("{}") })).status).toBe(403);
  });

  test("carries a body and its type", async () => {
    const { user } = await calling.caller();
    const assignment = { id: crypto.randomUUID(), email: user.email ?? "", scope: "contracts:write" };
    await store().assignments.insertMissing(assignment, new Date());
    const body = JSON.stringify({ title: "Ä" });
    const answer = await calling.send({
      method: "POST",
      headers: [["Content-Type", "application/json"]],
      body: Buffer.from(body),
      scopes: ["contracts:write"],
    });
    await store().assignments.remove(assignment.id);
    expect([answer.status, answer.body]).toEqual([200, JSON.stringify({ body: { title: "Ä" } })]);
  });
});

describe("what a service gets and gives back", () => {
  const claimsOf = (authorization = "") =>
    JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString()) as Record<
      string,
      unknown
    >;

  test("a token for it alone, bound to the key of the process, and nothing of the caller's own credentials", async () => {
    const headers = [
      ["Authorization", "Bearer mine"],
      ["DPoP", "mine"],
      ["Cookie", "mine=1"],
      ["Host", "elsewhere.example"],
      ["Connection", "X-Mine"],
      ["X-Mine", "1"],
      ["Transfer-Encoding", "chunked"],
      ["X-Forwarded-For", "203.0.113.5"],
      ["Accept", "text/plain"],
    ] as const;
    await calling.send({ url: plainUrl("/things?q=1"), headers });
    await calling.send({ url: plainUrl() }, calling.second);
    const [seen, other] = calling.api.seen;
    const names = Object.keys(seen?.headers ?? {}).filter((name) => name !== "connection");
    expect(names.sort()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "dpop",
      "host",
      "user-agent",
    ]);
    expect(seen?.url).toBe("/v1/things?q=1");
    expect(seen?.headers.host).toBe(new URL(calling.api.origin).host);
    const claims = claimsOf(seen?.headers.authorization);
    const { grant, user } = await calling.caller();
    expect(claims).toMatchObject({
      iss: calling.system.issuer,
      sub: user.id,
      aud: calling.plain.resource,
      client_id: calling.clientId,
      act: { sub: calling.clientId },
      sid: grant.id,
      scope: "contracts:read",
    });
    expect(claimsOf(other?.headers.authorization)["cnf"]).not.toEqual(claims["cnf"]);
  });

  test("token and proof are covered where it repeats them", async () => {
    calling.api.answer = ({ headers }, response) => {
      const said = `${String(headers.authorization)} ${String(headers["dpop"])}`;
      response.writeHead(200, { "x-said": said }).end(said);
    };
    const { body, headers } = await calling.send({ url: plainUrl() });
    const { authorization = "", dpop } = calling.api.seen[0]?.headers ?? {};
    const length = authorization.length - "DPoP ".length;
    const covered = `DPoP ${"*".repeat(length)} ${"*".repeat(String(dpop).length)}`;
    expect([body, headers["x-said"]]).toEqual([covered, [covered]]);
  });

  test("cookies and challenges stay behind", async () => {
    calling.api.answer = (_request, response) => {
      response
        .writeHead(401, { "set-cookie": "a=1", "www-authenticate": "DPoP", "dpop-nonce": "n", "x-kept": "1" })
        .end();
    };
    const { status, headers } = await calling.send({ url: plainUrl() });
    expect([
      status,
      Object.keys(headers).filter((name) => !["date", "content-length"].includes(name)),
    ]).toEqual([401, ["x-kept"]]);
  });

  test("a redirect is an answer", async () => {
    calling.api.answer = (_request, response) => {
      response.writeHead(302, { location: "https://evil.example/" }).end();
    };
    const { status, headers } = await calling.send({ url: plainUrl() });
    expect([status, headers["location"], calling.api.seen.length]).toEqual([
      302,
      ["https://evil.example/"],
      1,
    ]);
  });
});

describe("a service that wants a nonce in the proof", () => {
  const proofOf = (index: number) =>
    JSON.parse(
      Buffer.from(
        String(calling.api.seen[index]?.headers["dpop"]).split(".")[1] ?? "",
        "base64url",
      ).toString(),
    ) as Record<string, unknown>;
  function wantNonce(isGood: (nonce: unknown) => boolean, next = "n-2") {
    calling.api.answer = (_request, response) => {
      if (isGood(proofOf(calling.api.seen.length - 1)["nonce"])) response.end("in");
      else
        response
          .writeHead(401, { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": next })
          .end();
    };
  }

  test("gets it, with the body once more, and then at once", async () => {
    wantNonce((nonce) => nonce === "n-2");
    const request = { method: "POST", url: plainUrl("/a"), body: Buffer.from("twice") };
    expect(await calling.send(request)).toMatchObject({ status: 200, body: "in" });
    expect(calling.api.seen.map(({ bytes }) => bytes)).toEqual([5, 5]);
    expect((await calling.send(request)).status).toBe(200);
    expect(calling.api.seen).toHaveLength(3);
  });

  test("is asked once more and no more often", async () => {
    wantNonce(() => false);
    expect((await calling.send({ url: plainUrl("/b") })).status).toBe(401);
    expect(calling.api.seen).toHaveLength(2);
  });
});

describe("the audit trail", () => {
  test("says which service was called by whom through which app, and nothing of the request", async () => {
    const underWay = async () =>
      (await calling.system.database.query("SELECT id FROM forwarded_calls")).length;
    await expect.poll(underWay).toBe(0);
    const before = (await calling.system.audit("service.called")).length;
    calling.api.answer = (_request, response) => void response.end("answer");
    await calling.send({ method: "POST", url: plainUrl("/x/canary?q=canary"), body: Buffer.from("canary") });
    await expect.poll(async () => (await calling.system.audit("service.called")).length).toBe(before + 1);
    const event = (await calling.system.audit("service.called")).at(-1);
    const { grant, user } = await calling.caller();
    expect(event).toMatchObject({ outcome: "success", subject: user.id });
    const { durationMs, ...data } = event?.data ?? {};
    expect(data).toEqual({
      resource: "plain",
      grantId: grant.id,
      method: "POST",
      host: new URL(calling.api.origin).host,
      pathTemplate: "/v1/{…}",
      status: 200,
      requestBytes: 6,
      responseBytes: 6,
    });
    expect(durationMs).toBeTypeOf("number");
  });
});

describe("the very next call is refused, in every process", () => {
  let undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo) await step();
    undo = [];
  });
  const resource = (change: object) => async () => {
    undo.push(() => store().resources.save(calling.contracts, new Date()));
    await store().resources.save({ ...calling.contracts, ...change }, new Date());
  };

  test.each<[name: string, code: string, stale: boolean, change: () => Promise<void>]>([
    [
      "the person is disabled",
      "access_ended",
      true,
      async () => {
        const { user } = await calling.caller();
        undo.push(() => store().users.setEnabled(user.id, true, new Date()));
        await store().users.setEnabled(user.id, false, new Date());
      },
    ],
    [
      "the permission is gone",
      "insufficient_scope",
      false,
      async () => {
        const email = "ada@acme.example";
        const rule = (await store().assignments.listByEmail(email)).find(
          ({ scope }) => scope === "contracts:read",
        );
        if (rule === undefined) throw new Error("She has it.");
        undo.push(() => store().assignments.insertMissing(rule, new Date()));
        await store().assignments.remove(rule.id);
      },
    ],
    [
      "the client is disabled",
      "access_ended",
      true,
      async () => {
        const client = await store().clients.find(calling.clientId);
        if (client === undefined) throw new Error("It is there.");
        undo.push(() => store().clients.save(client, new Date()));
        await store().clients.save({ ...client, enabled: false }, new Date());
      },
    ],
    [
      "the client may not have the scope any more",
      "insufficient_scope",
      false,
      async () => {
        const client = await store().clients.find(calling.clientId);
        if (client === undefined) throw new Error("It is there.");
        undo.push(() => store().clients.save(client, new Date()));
        await store().clients.save({ ...client, limited: true, ceiling: ["authz:login"] }, new Date());
      },
    ],
    ["the service is disabled", "service_disabled", true, resource({ enabled: false })],
    ["the service declines", "service_declines", true, resource({ agentCalls: false })],
    [
      "the service moved",
      "unknown_service",
      true,
      resource({ requestPrefixes: ["https://contracts.acme.example"] }),
    ],
  ])("when %s", async (_name, code, stale, change) => {
    const before = await calling.caller();
    expect((await calling.send()).status).toBe(200);
    expect((await calling.send({}, calling.second)).status).toBe(200);
    await change();
    const use = stale ? { caller: before } : {};
    expect((await calling.refused(use)).code).toBe(code);
    expect((await calling.refused(use, calling.second)).code).toBe(code);
    for (const step of undo) await step();
    undo = [];
    expect((await calling.send()).status).toBe(200);
  });

  test("when the grant is revoked", async () => {
    const caller = await calling.caller();
    expect((await calling.send({ caller })).status).toBe(200);
    await store().grants.revoke({ id: caller.grant.id, reason: "revoked_by_user", at: new Date() });
    expect((await calling.refused({ caller })).code).toBe("access_ended");
    expect((await calling.refused({ caller }, calling.second)).code).toBe("access_ended");
    // The end of the call before these is written a moment later.
    await expect
      .poll(async () => await calling.system.database.query("SELECT FROM forwarded_calls"))
      .toEqual([]);
    await calling.system.database.query(
      "UPDATE grants SET revoked_at = NULL, revocation_reason = NULL WHERE id = $1",
      [caller.grant.id],
    );
  });
});
