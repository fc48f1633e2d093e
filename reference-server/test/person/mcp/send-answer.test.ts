import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ReadableStream, type ReadableStreamDefaultController, type UnderlyingSource } from "node:stream/web";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendEvents, sendResponse } from "../../../src/person/mcp/send-answer.js";

let app: FastifyInstance;
let origin: string;
let send: (reply: FastifyReply) => Promise<void>;
beforeAll(async () => {
  app = fastify();
  app.get("/", async (_request, reply) => {
    await send(reply);
    return reply;
  });
  origin = await app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => app.close());

/** Sends a request and goes away when the headers have come. */
async function leave(): Promise<void> {
  const sent = request(origin).end();
  await once(sent, "response");
  sent.on("error", () => undefined).destroy();
}

async function expectOnePiece(text: string): Promise<void> {
  const response = await fetch(origin);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toBe(text);
}

/** Fetches the headers, then piece after piece; an empty one at the end. */
async function openStream(): Promise<() => Promise<string>> {
  const response = await fetch(origin);
  expect(response.headers.get("content-length")).toBeNull();
  const reader = response.body?.getReader();
  return async () => Buffer.from((await reader?.read())?.value ?? []).toString();
}

describe("events", () => {
  const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  const answerWith = (work: Parameters<typeof sendEvents>[0]) => {
    send = (reply) => sendEvents(work, reply);
  };

  // oxlint-disable-next-line vitest/expect-expect -- in the function
  test("that are complete soon are sent in one piece", async () => {
    answerWith(async () => await Promise.resolve({ answer: "ö" }));
    await expectOnePiece(event({ answer: "ö" }));
  });

  test("that take longer follow their headers, in their order", async () => {
    let finish: (() => void) | undefined;
    answerWith(async (notify) => {
      await delay(150);
      notify({ notified: 1 });
      await new Promise<void>((resolve) => (finish = resolve));
      return { answer: 2 };
    });
    const read = await openStream();
    expect(await read()).toBe(event({ notified: 1 }));
    finish?.();
    expect([await read(), await read()]).toEqual([event({ answer: 2 }), ""]);
  });

  test("that come before the answer are not held back", async () => {
    answerWith(async (notify) => {
      notify({ notified: 1 });
      return await Promise.resolve({ answer: 2 });
    });
    expect(await (await fetch(origin)).text()).toBe(event({ notified: 1 }) + event({ answer: 2 }));
  });

  test("that fail at once are an error of the route, and later a stream that breaks", async () => {
    answerWith(async () => await Promise.reject(new Error("It broke.")));
    expect((await fetch(origin)).status).toBe(500);
    answerWith(async () => {
      await delay(150);
      throw new Error("It broke.");
    });
    const response = await fetch(origin);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("for a caller that has gone break nothing", async () => {
    let isOver = false;
    answerWith(async (notify) => {
      await delay(200);
      notify({ notified: 1 });
      isOver = true;
      return { answer: 2 };
    });
    await leave();
    await expect.poll(() => isOver).toBe(true);
    answerWith(async () => await Promise.resolve({ answer: 3 }));
    expect((await fetch(origin)).status).toBe(200);
  });
});

describe("an answer of the library", () => {
  const encoder = new TextEncoder();
  const answerWith = (source: UnderlyingSource<Uint8Array>) => {
    const headers = { "content-type": "text/event-stream", connection: "keep-alive" };
    send = (reply) => sendResponse(new Response(new ReadableStream(source), { headers }), reply);
  };

  // oxlint-disable-next-line vitest/expect-expect -- in the function
  test("that is complete soon is sent in one piece", async () => {
    answerWith({
      start(controller) {
        for (const piece of ["one ", "two"]) controller.enqueue(encoder.encode(piece));
        controller.close();
      },
    });
    await expectOnePiece("one two");
  });

  test("that takes longer comes piece by piece, and its headers at once", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    answerWith({ start: (made) => void (controller = made) });
    const read = await openStream();
    for (const piece of ["one", "two"]) {
      controller?.enqueue(encoder.encode(piece));
      expect(await read()).toBe(piece);
    }
    controller?.close();
    expect(await read()).toBe("");
  });

  test("is cancelled when the caller goes", async () => {
    let isCancelled = false;
    answerWith({ cancel: () => void (isCancelled = true) });
    await leave();
    await expect.poll(() => isCancelled).toBe(true);
  });

  test("that breaks is not taken for a complete one", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    answerWith({ start: (made) => void (controller = made) });
    const response = await fetch(origin);
    controller?.enqueue(encoder.encode("one"));
    controller?.error(new Error("It broke."));
    await expect(response.text()).rejects.toThrow("terminated");
  });
});
