import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { asRefusal } from "../../src/forwarding/refusals.js";
import { UseRefusal } from "../../src/forwarding/use-refusal.js";
import { endPerson, enablePerson } from "../../src/lifecycle/end-person.js";
import { pausePerson } from "../../src/lifecycle/pause-person.js";
import { setStop } from "../../src/lifecycle/stop.js";
import { type Forwarding, startForwarding } from "../connectors/use/forwarding.js";
import { type ServiceCalling, startServiceCalling } from "../person/mcp/service-calls.js";

/** A call that is not cut would end the test by its time limit. */
const seconds = 15_000;

describe("a call at a service that another process carries out", () => {
  let calling: ServiceCalling;
  let userId: string;
  let grantId: string;
  beforeAll(async () => {
    calling = await startServiceCalling();
    const { user, grant } = await calling.caller();
    [userId, grantId] = [user.id, grant.id];
  });
  afterAll(() => calling.close());
  beforeEach(() => calling.api.forget());
  afterEach(async () => {
    const { database, server } = calling.system;
    await database.query("DELETE FROM stops");
    await database.query("UPDATE grants SET revoked_at = NULL, revocation_reason = NULL WHERE id = $1", [
      grantId,
    ]);
    await database.query(
      "UPDATE users SET enabled = true, disabled_by = NULL, paused_at = NULL, pause_reason = NULL",
    );
    await database.query("UPDATE clients SET enabled = true");
    await server.context.store.resources.save(calling.plain, new Date());
  });

  const url = () => `${calling.api.origin}/v1/slow`;
  const work = () => {
    const { store } = calling.system.server.context;
    return { store, actor: { type: "operator" } as const, at: new Date() };
  };
  const stop = async (target: Parameters<typeof setStop>[0]) => await setStop(target, work());

  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    "a stop of everything": () => stop({ kind: "all" }),
    "a stop of the person": () => stop({ kind: "user", userId }),
    "a stop of the app": () => stop({ kind: "client", clientId: calling.clientId }),
    "a stop of the person's app": () => stop({ kind: "app", userId, clientId: calling.clientId }),
    "a stop of the service": () => stop({ kind: "service", resourceId: calling.plain.id }),
    "the end of the person": () => endPerson(userId, { by: "administrator", user: "bruno" }, work()),
    "a pause of the person": () => pausePerson(userId, { by: "presence", provider: "acme" }, work()),
    "a sign-out of the app": () =>
      work().store.grants.revoke({ id: grantId, reason: "revoked_by_user", at: new Date() }),
  };

  test.each(Object.entries(ends))(
    "is cut before the answer by %s",
    async (_name, end) => {
      const arrived = new Promise<void>((resolve) => {
        calling.api.answer = () => resolve();
      });
      const refusal = calling.refused({ url: url() }, calling.second);
      await arrived;
      const began = performance.now();
      await end();
      expect(await refusal).toMatchObject({ code: "access_denied", reason: "call_cut", sent: "maybe" });
      expect(performance.now() - began).toBeLessThan(5_000);
      // It is in the trail, although it was cut.
      await calling.second.forwarder.calls.settle();
      const [event] = (await calling.system.audit("service.called")).slice(-1);
      expect(event).toMatchObject({ outcome: "failed", data: { status: null } });
    },
    seconds,
  );

  test(
    "is cut in the middle of the answer, and the reader is told why",
    async () => {
      calling.api.answer = (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        response.write("one");
      };
      const { body } = await calling.second.call(await calling.request({ url: url() }));
      if (body === null) throw new Error("There is no body.");
      await once(body, "data");
      const broken = once(body, "error");
      await stop({ kind: "user", userId });
      const [error] = (await broken) as [Error];
      expect(asRefusal(error)).toMatchObject({ code: "access_denied", reason: "call_cut" });
    },
    seconds,
  );

  test(
    "goes on when another person, app or service is stopped",
    async () => {
      let answer: ServerResponse | undefined;
      const arrived = new Promise<void>((resolve) => {
        calling.api.answer = (_request, response) => {
          answer = response;
          resolve();
        };
      });
      const sent = calling.send({ url: url() }, calling.second);
      await arrived;
      await stop({ kind: "service", resourceId: calling.contracts.id });
      const other = randomUUID();
      await calling.system.database.query("INSERT INTO users (id) VALUES ($1)", [other]);
      await stop({ kind: "user", userId: other });
      // Longer than two checks.
      await new Promise((resolve) => void setTimeout(resolve, 2_500));
      answer?.end("done");
      expect(await sent).toMatchObject({ status: 200, body: "done" });
    },
    seconds,
  );

  test.each(["a stop of the person", "a stop of the service"])("is refused after %s", async (name) => {
    await ends[name]?.();
    const error = await calling.refused({ url: url() }, calling.second);
    expect(error).toBeInstanceOf(UseRefusal);
    expect(["access_denied", "access_ended"]).toContain(error.code);
    expect(error.sent).toBe("no");
    expect(calling.api.seen).toHaveLength(0);
  });
});

describe("a request through a connection", () => {
  let forwarding: Forwarding;
  beforeAll(async () => {
    forwarding = await startForwarding();
  });
  afterAll(() => forwarding.close());
  beforeEach(async () => {
    forwarding.api.forget();
    await forwarding.system.database.query("DELETE FROM stops");
  });

  const work = () => {
    const { store } = forwarding.system.server.context;
    return { store, actor: { type: "operator" } as const, at: new Date() };
  };

  test("is refused while the person's apps are stopped, and nothing of it is sent", async () => {
    await setStop({ kind: "user", userId: forwarding.userId }, work());
    const { status } = await forwarding.send();
    expect([status, forwarding.api.seen.length]).toEqual([403, 0]);
  });

  test.each(["stop", "end"] as const)(
    "is cut by: %s",
    async (kind) => {
      const arrived = new Promise<void>((resolve) => {
        forwarding.api.answer = () => resolve();
      });
      const sent = forwarding.send();
      await arrived;
      const { userId } = forwarding;
      if (kind === "stop") await setStop({ kind: "user", userId }, work());
      else await endPerson(userId, { by: "administrator", user: "bruno" }, work());
      const { status, body } = await sent;
      expect([status, JSON.parse(body)]).toMatchObject([403, { error: "access_denied", sent: "maybe" }]);
      if (kind === "end") await enablePerson(userId, work());
    },
    seconds,
  );
});
