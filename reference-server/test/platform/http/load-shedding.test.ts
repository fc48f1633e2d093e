import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { createLoadShedding } from "../../../src/platform/http/load-shedding.js";
import { createHttpApp } from "../../../src/platform/http/app.js";
import { DatabaseUnavailableError } from "../../../src/store/database-unavailable-error.js";
import { createLog } from "../../../src/platform/http/log.js";

let app: FastifyInstance;
let release: () => void;
afterEach(() => app.close());

async function createBusyApp(maxConcurrent: number): Promise<void> {
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  app = createHttpApp({
    issuer: "https://auth.acme.example",
    log: createLog("silent"),
    load: createLoadShedding({ maxConcurrent, maxHandedThrough: 1, maxDelayMilliseconds: 10_000 }),
  });
  app.get("/api/slow", async () => {
    await gate;
    return {};
  });
  app.get("/api/public", { config: { neverShed: true } }, async () => ({}));
  app.get("/api/through", { config: { handsThrough: true } }, async () => {
    await gate;
    return {};
  });
  await app.ready();
}

/** Sends at once; what `inject` returns waits until somebody asks for it. */
async function send(url: string) {
  return await app.inject(url);
}

test("requests beyond the limit are refused at once, the others end, and afterwards there is room again", async () => {
  await createBusyApp(2);
  const taken = [send("/api/slow"), send("/api/slow")];

  const refused = await send("/api/slow");

  expect(refused.statusCode).toBe(503);
  expect(refused.headers["retry-after"]).toBe("1");
  expect(refused.json()).toMatchObject({ error: "temporarily_unavailable" });
  release();
  expect((await Promise.all(taken)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await send("/api/slow")).statusCode).toBe(200);
});

test("the limit holds for all applications of a process together", async () => {
  const load = createLoadShedding({ maxConcurrent: 1, maxDelayMilliseconds: 10_000 });
  const [first, second] = [1, 2].map(() =>
    createHttpApp({ issuer: "https://auth.acme.example", log: createLog("silent"), load }),
  ) as [FastifyInstance, FastifyInstance];
  app = first;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let enter: () => void;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  first.get("/api/slow", async () => {
    enter();
    await gate;
    return {};
  });
  second.get("/api/quick", async () => ({}));
  const taken = send("/api/slow");
  await entered;
  expect((await second.inject("/api/quick")).statusCode).toBe(503);
  release();
  expect((await taken).statusCode).toBe(200);
  expect((await second.inject("/api/quick")).statusCode).toBe(200);
  await second.close();
});

test("routes that are never shed are answered although the process is busy", async () => {
  await createBusyApp(1);
  const taken = send("/api/slow");
  expect((await send("/api/public")).statusCode).toBe(200);
  release();
  await taken;
});

test("forwarded requests have a limit of their own, and take no permits of others", async () => {
  await createBusyApp(1);
  const through = send("/api/through");
  expect((await send("/api/through")).statusCode).toBe(503);
  const own = send("/api/slow");
  release();
  expect((await Promise.all([through, own])).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
});

test.each([
  {
    name: "waits for the database too long while it is on time",
    late: Infinity,
    cause: undefined,
    code: "DATABASE_AWAY",
  },
  {
    name: "waits for the database too long while it is late itself",
    late: 0,
    cause: undefined,
    code: "OVERLOADED",
  },
  {
    name: "is refused by the database while it is late itself",
    late: 0,
    cause: "ECONNREFUSED",
    code: "DATABASE_AWAY",
  },
])("a process that $name logs $code", async ({ late, cause, code }) => {
  const codes: string[] = [];
  app = createHttpApp({
    issuer: "https://auth.acme.example",
    log: createLog("silent"),
    outages: { report: (failure) => void codes.push(failure.code) },
    load: createLoadShedding({ lateMilliseconds: late, sampleMilliseconds: 200 }),
  });
  app.get("/api/database", async () => {
    throw new DatabaseUnavailableError("It has been waited for.", {
      cause: Object.assign(new Error("waited"), cause !== undefined && { code: cause }),
    });
  });
  await app.ready();
  // Every loop is later than zero, after three samples.
  await expect
    .poll(
      async () => {
        expect((await send("/api/database")).statusCode).toBe(503);
        return codes.at(-1);
      },
      { timeout: 10_000 },
    )
    .toBe(code);
});

test("an event loop that stays late takes no request, and one that was late for a moment does", async () => {
  // Every loop is later than this: the test is that it takes several samples.
  const load = createLoadShedding({ maxDelayMilliseconds: 0.001, sampleMilliseconds: 200 });
  app = createHttpApp({ issuer: "https://auth.acme.example", log: createLog("silent"), load });
  app.get("/api/quick", async () => ({}));
  await app.ready();
  expect((await send("/api/quick")).statusCode).toBe(200);
  await expect.poll(async () => (await send("/api/quick")).statusCode).toBe(503);
});
