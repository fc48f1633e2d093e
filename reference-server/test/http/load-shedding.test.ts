import type { FastifyInstance } from "fastify";
import { afterEach, expect, test } from "vitest";
import { createHttpApp } from "../../src/http/app.js";
import { createLog } from "../../src/http/log.js";

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
    loadLimits: { maxConcurrent, maxDelayMilliseconds: 10_000 },
  });
  app.get("/api/slow", async () => {
    await gate;
    return {};
  });
  app.get("/.well-known/openid-configuration", async () => ({}));
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

test("the discovery documents are answered all the same", async () => {
  await createBusyApp(1);
  const taken = send("/api/slow");
  expect((await send("/.well-known/openid-configuration")).statusCode).toBe(200);
  release();
  await taken;
});
