import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { createLog } from "../src/log.js";
import { createResource } from "../src/resource.js";
import { type Upstream, type UpstreamAnswer, UpstreamError } from "../src/upstream.js";

/** One question to the upstream that the test answers step by step. */
interface Question {
  head(headers: IncomingHttpHeaders): void;
  finish(status?: number): void;
  fail(): void;
}

function createFixture() {
  const questions: Question[] = [];
  let now = 1_000_000;
  const upstream: Upstream = {
    get: (_path, onHead) =>
      new Promise<UpstreamAnswer>((resolve, reject) => {
        let headers: IncomingHttpHeaders = {};
        questions.push({
          head(received) {
            headers = received;
            onHead(received);
          },
          finish: (status = 200) => resolve({ status, headers, body: Buffer.from(`${questions.length}`) }),
          fail: () => reject(new UpstreamError("timeout", "late")),
        });
      }),
    close: () => undefined,
  };
  const log = createLog(() => undefined);
  const resource = createResource({
    document: { path: "/api/oauth/jwks", accept: "application/json", maxBodyBytes: 1024 },
    upstream,
    clock: () => now,
    log,
  });
  const question = (index: number): Question => {
    const found = questions[index];
    if (found === undefined) throw new Error(`question ${index} was not asked`);
    return found;
  };
  return {
    resource,
    questions,
    question,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    answered: async (headers: IncomingHttpHeaders, status = 200) => {
      const asked = resource.ask();
      question(questions.length - 1).head(headers);
      question(questions.length - 1).finish(status);
      return await asked;
    },
  };
}

const fresh = { "cache-control": "max-age=300", etag: '"one"' };

describe("freshness", () => {
  it("gives a copy until the last moment of its freshness, and not one moment longer", async () => {
    const { resource, answered, advance } = createFixture();
    await answered(fresh);
    advance(299.999);
    expect(resource.fresh()).toBeDefined();
    advance(0.001);
    expect(resource.fresh()).toBeUndefined();
  });

  it("counts from when the answer was asked for, not from when it came", async () => {
    const { resource, question, advance } = createFixture();
    const asked = resource.ask();
    advance(4);
    question(0).head(fresh);
    question(0).finish();
    await asked;
    expect(resource.fresh()?.headers).toContain("4");
    advance(296);
    expect(resource.fresh()).toBeUndefined();
  });

  it("tells the age of a copy, including its age on arrival", async () => {
    const { resource, answered, advance } = createFixture();
    const first = await answered({ ...fresh, age: "100" });
    expect(first.headers.join()).toContain("Age,100");
    advance(42.9);
    expect(resource.fresh()?.headers.join()).toContain("Age,142");
    expect(resource.fresh()?.notModifiedHeaders.join()).toContain("Age,142");
    advance(157.1);
    expect(resource.fresh()).toBeUndefined();
  });

  it.each([
    { name: "nothing about freshness", headers: {}, status: 200 },
    { name: "no-store", headers: { "cache-control": "max-age=300, no-store" }, status: 200 },
    { name: "an error, even with max-age", headers: fresh, status: 404 },
    { name: "a failure, even with max-age", headers: fresh, status: 503 },
  ])("keeps nothing of an answer with $name", async ({ headers, status }) => {
    const { resource, answered } = createFixture();
    expect((await answered(headers, status)).answer.status).toBe(status);
    expect(resource.fresh()).toBeUndefined();
  });

  it("does not keep an answer that stopped being fresh while its body came", async () => {
    const { resource, question, advance } = createFixture();
    const asked = resource.ask();
    question(0).head({ "cache-control": "max-age=2" });
    advance(3);
    question(0).finish();
    await asked;
    expect(resource.fresh()).toBeUndefined();
  });
});

describe("renewal", () => {
  it("asks for the next answer in the last tenth, and gives the one it has meanwhile", async () => {
    const { resource, questions, question, answered, advance } = createFixture();
    const first = await answered(fresh);
    advance(269.999);
    expect(resource.fresh()?.answer).toBe(first.answer);
    expect(questions).toHaveLength(1);
    advance(0.001);
    expect(resource.fresh()?.answer).toBe(first.answer);
    expect(resource.fresh()?.answer).toBe(first.answer);
    expect(questions).toHaveLength(2);
    question(1).head(fresh);
    question(1).finish();
    await expect.poll(() => resource.fresh()?.answer).not.toBe(first.answer);
    advance(269.999);
    expect(resource.fresh()).toBeDefined();
    expect(questions).toHaveLength(2);
  });

  it("sends no request without a caller", async () => {
    const { questions, answered, advance } = createFixture();
    await answered(fresh);
    advance(299);
    expect(questions).toHaveLength(1);
  });

  it("tries ten times at most, one after the other, and never gives anything stale", async () => {
    const { resource, questions, question, answered, advance } = createFixture();
    await answered(fresh);
    advance(269);
    for (let seconds = 269; seconds < 300; seconds += 0.5) {
      expect(resource.fresh()).toBeDefined();
      const latest = questions.length - 1;
      // The odd ones are refused, the even ones break off.
      if (latest > 0 && latest % 2 === 1) {
        question(latest).head({ "cache-control": "no-store" });
        question(latest).finish(503);
      } else if (latest > 0) {
        question(latest).fail();
      }
      await new Promise(setImmediate);
      advance(0.5);
    }
    expect(questions).toHaveLength(11);
    expect(resource.fresh()).toBeUndefined();
  });

  it("lets callers who are too late for the copy wait for the running attempt", async () => {
    const { resource, questions, question, answered, advance } = createFixture();
    await answered(fresh);
    advance(299);
    resource.fresh();
    advance(1);
    expect(resource.fresh()).toBeUndefined();
    const asked = resource.ask();
    expect(questions).toHaveLength(2);
    question(1).head(fresh);
    question(1).finish();
    expect((await asked).answer.status).toBe(200);
  });
});

describe("sharing", () => {
  it("asks once for all callers that come before the answer", async () => {
    const { resource, questions, question } = createFixture();
    const asked = [resource.ask(), resource.ask(), resource.ask()];
    question(0).head({ "cache-control": "no-store" });
    question(0).finish();
    const replies = await Promise.all(asked);
    expect(questions).toHaveLength(1);
    expect(new Set(replies).size).toBe(1);
  });

  it("shares the rest of a fresh answer with callers that come during its body", async () => {
    const { resource, questions, question } = createFixture();
    const first = resource.ask();
    question(0).head(fresh);
    const second = resource.ask();
    question(0).finish();
    expect(await second).toBe(await first);
    expect(questions).toHaveLength(1);
  });

  it("asks again for a caller that comes during the body of an answer that was stale from the start", async () => {
    const { resource, questions, question } = createFixture();
    const first = resource.ask();
    question(0).head({ "cache-control": "no-store" });
    const second = resource.ask();
    expect(questions).toHaveLength(2);
    question(1).head(fresh);
    question(1).finish();
    question(0).finish();
    expect(await second).not.toBe(await first);
    expect(resource.fresh()?.answer).toBe((await second).answer);
  });

  it("tells every caller of a failure, and asks again for the next", async () => {
    const { resource, questions, question, answered } = createFixture();
    const asked = [resource.ask(), resource.ask()];
    question(0).fail();
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await answered(fresh);
    expect(questions).toHaveLength(2);
    expect(resource.fresh()).toBeDefined();
  });

  it("gives nothing stale when the upstream fails", async () => {
    const { resource, answered, advance, question } = createFixture();
    await answered(fresh);
    advance(300);
    expect(resource.fresh()).toBeUndefined();
    const asked = resource.ask();
    question(1).fail();
    await expect(asked).rejects.toMatchObject({ reason: "timeout" });
    expect(resource.fresh()).toBeUndefined();
  });
});
