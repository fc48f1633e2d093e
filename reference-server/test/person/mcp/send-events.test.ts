import { once } from "node:events";
import { request } from "node:http";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendEvents } from "../../../src/person/mcp/send-answer.js";

let app: FastifyInstance;
let origin: string;
let work: (tell: (message: object) => unknown) => Promise<object>;
beforeAll(async () => {
  app = fastify();
  app.get("/", async (_request, reply) => {
    await sendEvents((tell) => work(tell), reply);
    return reply;
  });
  origin = await app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => app.close());

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const soon = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("what is known soon is sent in one piece", async () => {
  work = async () => await Promise.resolve({ answer: "ö" });
  const response = await fetch(origin);
  const text = event({ answer: "ö" });
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe(text);
});

test("what takes longer has its headers first, and everything in its order", async () => {
  let finish: (() => void) | undefined;
  work = async (tell) => {
    await soon(150);
    tell({ told: 1 });
    await new Promise<void>((resolve) => (finish = resolve));
    return { answer: 2 };
  };
  const response = await fetch(origin);
  expect(response.headers.get("content-length")).toBeNull();
  const reader = response.body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(await read()).toBe(event({ told: 1 }));
  finish?.();
  expect(await read()).toBe(event({ answer: 2 }));
  expect((await reader?.read())?.done).toBe(true);
});

test("what is told soon is not held back", async () => {
  work = async (tell) => {
    tell({ told: 1 });
    return await Promise.resolve({ answer: 2 });
  };
  expect(await (await fetch(origin)).text()).toBe(event({ told: 1 }) + event({ answer: 2 }));
});

test("what fails at once is an error of the route, and later a stream that breaks", async () => {
  work = async () => await Promise.reject(new Error("It broke."));
  expect((await fetch(origin)).status).toBe(500);
  work = async () => {
    await soon(150);
    throw new Error("It broke.");
  };
  const response = await fetch(origin);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

test("whoever has gone is told nothing, and nothing breaks", async () => {
  let over = false;
  work = async (tell) => {
    await soon(200);
    tell({ told: 1 });
    over = true;
    return { answer: 2 };
  };
  const sent = request(origin).end();
  await once(sent, "response");
  sent.on("error", () => undefined).destroy();
  await expect.poll(() => over).toBe(true);
  work = async () => await Promise.resolve({ answer: 3 });
  expect((await fetch(origin)).status).toBe(200);
});
