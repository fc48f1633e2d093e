import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

const answerWith = (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  forwarding.api.answer = answer;
};

describe("bodies stream", () => {
  test("up: the third party has a piece before the next one is there", async () => {
    const body = new PassThrough();
    const pieces: string[] = [];
    let next: (() => void) | undefined;
    forwarding.api.streams = (request, response) => {
      request.setEncoding("utf8").on("data", (piece: string) => {
        pieces.push(piece);
        next?.();
      });
      request.once("end", () => response.end("done"));
    };
    const answer = forwarding.send({ method: "POST", body });
    for (const piece of ["one", "two", "three"]) {
      const received = new Promise<void>((resolve) => {
        next = resolve;
      });
      body.write(piece);
      await received;
    }
    body.end();
    expect(await answer).toMatchObject({ status: 200, body: "done" });
    expect(pieces).toEqual(["one", "two", "three"]);
  });

  test("down: the caller has the status and each piece before the next one is there", async () => {
    let response: ServerResponse | undefined;
    answerWith((_request, answer) => {
      response = answer;
      answer.writeHead(200, { "content-type": "text/plain" });
      answer.flushHeaders();
    });
    const { status, body } = await forwarding.open();
    expect(status).toBe(200);
    for (const piece of ["one", "two", "three"]) {
      response?.write(piece);
      const [received] = (await once(body, "data")) as [Buffer];
      expect(String(received)).toBe(piece);
    }
    response?.end();
    await once(body, "end");
  });

  test("both ways at the same time", async () => {
    const body = new PassThrough();
    forwarding.api.streams = (request, response) => void request.pipe(response);
    const opening = forwarding.open({ method: "POST", body });
    body.write("ping");
    const answer = await opening;
    const [first] = (await once(answer.body, "data")) as [Buffer];
    body.end("pong");
    const [second] = (await once(answer.body, "data")) as [Buffer];
    expect([String(first), String(second)]).toEqual(["ping", "pong"]);
  });

  test("with back-pressure: a caller that does not read stops the third party", async () => {
    const total = 48 * 1024 * 1024;
    let written = 0;
    answerWith((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const fill = () => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) break;
        }
        if (written < total) response.once("drain", fill);
        else response.end();
      };
      fill();
    });
    const { connector } = await forwarding.connect({
      limits: { ...forwarding.connector.limits, responseBytes: total },
    });
    const { body } = await forwarding.open({ key: connector.key });
    let before = -1;
    await expect
      .poll(
        () => {
          const still = written === before;
          before = written;
          return still;
        },
        { interval: 100 },
      )
      .toBe(true);
    // What is between the two ends are buffers of sockets and streams.
    expect(written).toBeLessThan(total / 2);
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe(total);
  });
});
