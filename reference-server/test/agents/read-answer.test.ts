import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createLargeAnswers, readAnswerBody, type TakeLarge } from "../../src/agents/read-answer.js";

const kibibyte = 1024;
const small = 256 * kibibyte;

/** A body that stays open after its bytes until it is told to end. */
function openBody(bytes: number): { body: Readable; end: () => void } {
  const body = new Readable({ read: () => undefined });
  body.push("a".repeat(bytes));
  return { body, end: () => void body.push(null) };
}

const read = async (takeLarge: TakeLarge, userId: string, body: Readable) =>
  String((await readAnswerBody(body, "text/plain", () => takeLarge(userId))).body);

const whole = (bytes: number) => Readable.from([Buffer.alloc(bytes, "a")]);

test("few large answers are read at the same time, and of the others only the beginning", async () => {
  const takeLarge = createLargeAnswers({ perPerson: 1, total: 2 });
  const first = openBody(small + 1);
  const reading = read(takeLarge, "ada", first.body);
  await new Promise(setImmediate);
  const cut = await read(takeLarge, "ada", whole(small + 1));
  expect(cut.slice(0, small)).toBe("a".repeat(small));
  expect(cut.slice(small)).toBe(
    "… (several long answers are being read, and the rest of this one was not: wait, or ask for less)",
  );
  expect(await read(takeLarge, "bruno", whole(small + 1))).toHaveLength(small + 1);
  expect(await read(takeLarge, "ada", whole(small))).toHaveLength(small);
  first.end();
  expect(await reading).toHaveLength(small + 1);
  expect(await read(takeLarge, "ada", whole(small + 1))).toHaveLength(small + 1);
});

test("there are only so many places for everybody, and a broken answer gives its own back", async () => {
  const takeLarge = createLargeAnswers({ perPerson: 1, total: 1 });
  const first = openBody(small + 1);
  const reading = read(takeLarge, "ada", first.body);
  await new Promise(setImmediate);
  expect(await read(takeLarge, "bruno", whole(small + 1))).toContain("several long answers");
  first.body.destroy(new Error("The connection broke."));
  await expect(reading).rejects.toThrow("The connection broke.");
  expect(await read(takeLarge, "bruno", whole(small + 1))).toHaveLength(small + 1);
});

test("an answer that broke before anybody read it is not waited for", async () => {
  const { body } = openBody(10);
  body.on("error", () => undefined).destroy(new Error("It broke."));
  await new Promise(setImmediate);
  await expect(read(createLargeAnswers(), "ada", body)).rejects.toThrow("It broke.");
  const left = openBody(10);
  left.body.destroy();
  await expect(read(createLargeAnswers(), "ada", left.body)).rejects.toThrow("does not come");
});

test("no answer is read beyond 4 MiB", async () => {
  const text = await read(createLargeAnswers(), "ada", whole(5 * 1024 * kibibyte));
  expect(text.slice(4 * 1024 * kibibyte)).toBe(
    "… (the answer is too long, and the rest was not read: ask for less)",
  );
});
