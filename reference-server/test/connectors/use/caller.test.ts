import { once } from "node:events";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";
import { countUses, lastUse, pieces, read, refusalIn } from "./outcomes.js";

let forwarding: Forwarding;
const limits = {
  requestBytes: 100_000,
  responseBytes: 100_000,
  timeoutSeconds: 30,
  requestsPerMinute: 100_000,
};

beforeAll(async () => {
  forwarding = await startForwarding();
  await forwarding.restore({ limits });
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

test("a caller of HTTP/1.0, for whom the end of the connection is the end of the answer, sees that it broke", async () => {
  const { origin } = forwarding.api;
  const ask = async (breaks: boolean) => {
    forwarding.api.answer = (_request, response) => {
      response.write("a piece", () => (breaks ? response.destroy() : response.end()));
    };
    const { hostname, port } = new URL(forwarding.system.issuer);
    const socket = connect(Number(port), hostname);
    const lines = { ...forwarding.credentials("GET", "notes"), "authz-target": `${origin}/v1/a` };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.write(`GET /api/me/connections/notes/requests HTTP/1.0\r\n${head.join("")}\r\n`);
    try {
      return String(await buffer(socket));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  expect(await ask(false)).toMatch(/\r\n\r\na piece$/);
  expect(await ask(true)).toBe("ECONNRESET");
});

test("a caller that is refused while it sends a long body gets to read why", async () => {
  const body = Buffer.alloc(5_000_000);
  const answer = await forwarding.send({ method: "POST", body });
  expect(refusalIn(answer)).toMatchObject({ status: 413, error: "request_too_large", sent: "no" });
  expect(forwarding.api.seen).toEqual([]);
});

test("a caller that goes away ends the request to the third party, before the answer and in the middle of it", async () => {
  const before = await countUses(forwarding);
  const gone = new AbortController();
  let closed: Promise<unknown> | undefined;
  forwarding.api.answer = (_request, response) => {
    closed = once(response, "close");
  };
  const sending = forwarding.send({ signal: gone.signal });
  await expect.poll(() => closed !== undefined).toBe(true);
  gone.abort();
  await expect(sending).rejects.toThrow("aborted");
  await closed;
  expect(await lastUse(forwarding, before + 1)).toMatchObject({ outcome: "failed", data: { status: null } });

  forwarding.api.answer = (_request, response) => {
    closed = once(response, "close");
    response.write("a");
  };
  const { body } = await forwarding.open();
  await once(body, "data");
  body.destroy();
  await closed;
  expect(await lastUse(forwarding, before + 2)).toMatchObject({
    outcome: "success",
    data: { status: 200, responseBytes: 1 },
  });
});

test("a caller that does not read its answer loses its place when the time is over", async () => {
  const bytes = 20 * 1024 * 1024;
  const roomy = { ...limits, responseBytes: bytes, timeoutSeconds: 1 };
  const { connector } = await forwarding.connect({ limits: roomy });
  const before = await countUses(forwarding);
  forwarding.api.answer = (_request, response) => void pieces(bytes).pipe(response);
  const answer = await forwarding.open({ key: connector.key });
  await expect.poll(async () => await countUses(forwarding)).toBe(before + 1);
  expect(await read(answer)).toMatchObject({ complete: false });
});
