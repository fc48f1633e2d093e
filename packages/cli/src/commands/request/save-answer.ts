import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { TransportAnswer } from "@authz/client";
import { CliError } from "../../cli-error.js";
import { EXIT } from "../../exit-code.js";

/**
 * Streams the body of an answer into a file and answers with its size. The file appears when it is complete, and not before.
 *
 * @throws {CliError} It cannot be written, or the answer broke off.
 */
export async function saveAnswer(
  answer: TransportAnswer,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const partial = `${path}.${randomBytes(4).toString("hex")}.part`;
  let size = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of answer.body) {
      size += chunk.byteLength;
      onBytes(size);
      yield chunk;
    }
  }
  try {
    await pipeline(counted, createWriteStream(partial, { flags: "wx" }));
    await rename(partial, path);
    return size;
  } catch (cause) {
    await rm(partial, { force: true });
    throw new CliError("service_failed", {
      what: `The answer could not be saved as ${path}.`,
      ...(cause instanceof Error ? { why: cause.message } : {}),
      hint: "Check the folder and the free space, then try again.",
      exitCode: EXIT.failure,
      cause,
    });
  }
}
