import { Readable } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type BodyEncoding, encodingOf } from "../../src/forwarding/decode-answer.js";
import { type AnswerGuard, guardAnswer } from "../../src/forwarding/guard-body.js";

const token = "ya29.secret/token+1=";

function guarded(chunks: readonly Buffer[], changes: Partial<AnswerGuard> = {}): Readable {
  const guard: AnswerGuard = {
    encoding: "identity",
    mostBytes: 1_000_000,
    secrets: [token],
    count: () => undefined,
    ...changes,
  };
  return guardAnswer(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), guard);
}

async function read(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

async function failure(body: Readable): Promise<string> {
  return await read(body).then(
    () => "complete",
    (error: Error) => error.name,
  );
}

describe("the token is covered", () => {
  test("in pieces of any size", async () => {
    const text = `{"a":"${token}","b":"${token.replace("s", String.raw`\u0073`)}"}!`;
    const chunks = text.split("").map((character) => Buffer.from(character));
    const stars = "*".repeat(token.length);
    expect(await read(guarded(chunks))).toBe(`{"a":"${stars}","b":"${stars}*****"}!`);
  });

  test.each<[BodyEncoding, (text: string) => Buffer]>([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
  ])("in a body that came as %s", async (encoding, compress) => {
    const bytes = compress(`before ${token} after`);
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await read(guarded(chunks, { encoding }))).toBe(`before ${"*".repeat(token.length)} after`);
  });
});

describe("a body ends with an error", () => {
  test("when it has one byte more than allowed, and not before", async () => {
    const body = [Buffer.alloc(500), Buffer.alloc(500)];
    expect(await failure(guarded(body, { mostBytes: 1000 }))).toBe("complete");
    expect(await failure(guarded(body, { mostBytes: 999 }))).toBe("TooManyBytesError");
  });

  test.each<[BodyEncoding, (bytes: Buffer) => Buffer]>([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ])("when %s decodes to more than allowed, before all of it is decoded", async (encoding, compress) => {
    let bytes = 0;
    const count = (more: number) => void (bytes += more);
    const bomb = compress(Buffer.alloc(5_000_000));
    expect(await failure(guarded([bomb], { encoding, mostBytes: 100_000, count }))).toBe("TooManyBytesError");
    expect(bytes).toBeLessThanOrEqual(100_000);
  });

  test("when encoded bytes go on and decode to nothing", async () => {
    // Empty stored blocks of deflate, without an end.
    const nothing = Buffer.from(Array.from({ length: 400 }, () => [0, 0, 0, 0xff, 0xff]).flat());
    const body = guarded([Buffer.from([0x78, 0x01]), nothing], { encoding: "deflate", mostBytes: 1000 });
    expect(await failure(body)).toBe("TooManyBytesError");
  });

  test.each<[BodyEncoding]>([["gzip"], ["br"], ["deflate"]])(
    "when %s is cut off or broken",
    async (encoding) => {
      const whole = {
        gzip: gzipSync,
        br: brotliCompressSync,
        deflate: deflateSync,
        identity: (text: string) => Buffer.from(text),
      }[encoding];
      const bytes = whole("a text that is long enough to be cut");
      expect(await failure(guarded([bytes.subarray(0, -6)], { encoding }))).toBe("Error");
      expect(await failure(guarded([Buffer.from([0x78, 0xff, 0xff, 0xff, 0xff])], { encoding }))).toBe(
        "Error",
      );
    },
  );

  test("when its source breaks, after what came was handed on", async () => {
    const source = new Readable({ read: () => undefined });
    const guard = { encoding: "identity", mostBytes: 10, secrets: [], count: () => undefined } as const;
    const body = guardAnswer(source, guard);
    source.push("abc");
    const pieces: string[] = [];
    const ended = (async () => {
      for await (const piece of body) {
        pieces.push(String(piece));
        source.destroy(new Error("broken"));
      }
    })();
    await expect(ended).rejects.toThrow("broken");
    expect(pieces).toEqual(["abc"]);
  });
});

test("destroying the body destroys its source", async () => {
  const source = new Readable({ read: () => undefined });
  const guard = { encoding: "gzip", mostBytes: 10, secrets: [], count: () => undefined } as const;
  const closed = new Promise((resolve) => source.once("close", resolve));
  guardAnswer(source, guard).destroy();
  await closed;
  expect(source.destroyed).toBe(true);
});

describe("the encoding of an answer", () => {
  test.each([
    [[], "identity"],
    [["identity"], "identity"],
    [["GZIP"], "gzip"],
    [["x-gzip"], "gzip"],
    [["br"], "br"],
    [["deflate"], "deflate"],
    [["identity, gzip"], "gzip"],
    [["gzip, br"], undefined],
    [["gzip", "gzip"], undefined],
    [["zstd"], undefined],
    [["compress"], undefined],
    [["nonsense"], undefined],
  ])("%j is %s", (values, expected) => {
    expect(encodingOf(values)).toBe(expected);
  });
});
