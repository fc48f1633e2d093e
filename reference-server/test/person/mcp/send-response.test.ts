import { once } from "node:events";
import { request } from "node:http";
import { ReadableStream, type ReadableStreamDefaultController, type UnderlyingSource } from "node:stream/web";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendResponse } from "../../../src/person/mcp/send-answer.js";

const headers = { "content-type": "text/event-stream", connection: "keep-alive" };
const encoder = new TextEncoder();

let app: FastifyInstance;
let origin: string;
let answer: () => Response;
beforeAll(async () => {
  app = fastify();
  app.get("/", async (_request, reply) => {
    await sendResponse(answer(), reply);
    return reply;
  });
  origin = await app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => app.close());

function events(source: UnderlyingSource<Uint8Array>): Response {
  return new Response(new ReadableStream(source), { headers });
}

test("an answer that is complete soon is sent in one piece", async () => {
  answer = () =>
    events({
      start(controller) {
        for (const piece of ["one ", "two"]) controller.enqueue(encoder.encode(piece));
        controller.close();
      },
    });
  const response = await fetch(origin);
  expect(response.headers.get("content-length")).toBe("7");
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe("one two");
});

test("an answer that takes longer comes as it is made, and its headers at once", async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  answer = () => events({ start: (made) => void (controller = made) });
  const response = await fetch(origin);
  expect(response.headers.get("content-length")).toBeNull();
  const reader = response.body?.getReader();
  for (const piece of ["one", "two"]) {
    controller?.enqueue(encoder.encode(piece));
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(piece);
  }
  controller?.close();
  expect((await reader?.read())?.done).toBe(true);
});

test("when the caller goes, the library hears of it", async () => {
  let cancelled = false;
  answer = () => events({ cancel: () => void (cancelled = true) });
  const sent = request(origin).end();
  await once(sent, "response");
  sent.on("error", () => undefined).destroy();
  await expect.poll(() => cancelled).toBe(true);
});

test("an answer that breaks is not taken for a complete one", async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  answer = () => events({ start: (made) => void (controller = made) });
  const response = await fetch(origin);
  controller?.enqueue(encoder.encode("one"));
  controller?.error(new Error("It broke."));
  await expect(response.text()).rejects.toThrow("terminated");
});
