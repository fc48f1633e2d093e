import { afterEach, beforeEach, expect, test } from "vitest";
import type { FastifyInstance } from "fastify";
import { createHttpApp } from "../../../src/platform/http/app.js";
import { mountLate } from "../../../src/platform/http/late-app.js";
import { createLog } from "../../../src/platform/http/log.js";

let app: FastifyInstance;
let lines: string[];
/** How often the late application was opened, and how often closed. */
let opened: number;
let closed: number;
/** Why it cannot be opened. */
let broken: boolean;

const openApp = () =>
  createHttpApp({
    issuer: "https://auth.acme.example",
    log: createLog("info", { write: (line: string) => void lines.push(line) }),
  });

beforeEach(async () => {
  [lines, opened, closed, broken] = [[], 0, 0, false];
  app = openApp();
  await mountLate(app, {
    prefix: "/late",
    async open() {
      opened += 1;
      if (broken) throw new Error("not now");
      const late = openApp();
      late.addHook("onClose", async () => void (closed += 1));
      late.post("/late/echo", async ({ body }) => ({ body }));
      late.get("/late/here", async () => ({ here: true }));
      await late.ready();
      return late;
    },
  });
  app.get("/early", async () => ({ early: true }));
});
afterEach(() => app.close());

const completed = () => lines.filter((line) => line.includes('"msg":"request"'));

test("is opened for the first request to it, and for no other", async () => {
  expect((await app.inject("/early")).json()).toEqual({ early: true });
  expect(opened).toBe(0);
  const answers = await Promise.all([app.inject("/late/here"), app.inject("/late/here")]);
  expect(answers.map((answer) => answer.json<object>())).toEqual([{ here: true }, { here: true }]);
  expect(opened).toBe(1);
});

test("gets bodies, and answers with its own headers; a request is one line of the log", async () => {
  const answer = await app.inject({ method: "POST", url: "/late/echo", payload: { a: 1 } });
  expect(answer.json()).toEqual({ body: { a: 1 } });
  expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff" });
  expect(completed()).toHaveLength(1);
  expect(completed()[0]).toContain('"path":"/late/echo"');
});

test("says itself what it does not have", async () => {
  const answer = await app.inject("/late/nowhere");
  expect(answer.statusCode).toBe(404);
  expect(completed()).toHaveLength(1);
});

test("that cannot be opened is tried again by the next request", async () => {
  broken = true;
  expect((await app.inject("/late/here")).statusCode).toBe(500);
  broken = false;
  expect((await app.inject("/late/here")).statusCode).toBe(200);
  expect(opened).toBe(2);
});

test("takes a body over a connection, and is closed with the application that it is mounted in", async () => {
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const payload = JSON.stringify({ long: "x".repeat(50_000) });
  const response = await fetch(`${address}/late/echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: payload,
  });
  expect(await response.json()).toEqual({ body: JSON.parse(payload) as unknown });
  await app.close();
  expect([opened, closed]).toEqual([1, 1]);
});
