import { randomBytes } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { access, constants, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { AuthzClientError, fileProblem } from "@authz/client";
import { EXIT } from "../../exit-code.js";
import { tidyWhenInterrupted } from "../../interruption.js";
import { CliError } from "../../messages/cli-error.js";

/**
 * Checks that an answer could be saved, before the request that cannot be taken back.
 *
 * @throws {CliError} `usage`
 */
export async function requireSavable(path: string): Promise<void> {
  try {
    const folder = dirname(path);
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder.`);
    await access(folder, constants.W_OK);
    const there = await stat(path).catch(() => undefined);
    if (there?.isDirectory() === true) throw new Error("It is a folder.");
  } catch (cause) {
    throw notSaved(cause, {
      what: `Nothing can be saved as ${path}, so nothing was sent.`,
      usage: true,
    });
  }
}

/**
 * Streams an answer into a file and answers with its size. The file appears when it is complete, and not before.
 *
 * @throws {CliError} `not_saved`
 * @throws {AuthzClientError} `unreachable` when the answer broke off.
 */
export async function saveAnswer(
  body: AsyncIterable<Uint8Array>,
  path: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<number> {
  const partial = `${path}.${randomBytes(4).toString("hex")}.part`;
  let size = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      size += chunk.byteLength;
      onBytes(size);
      yield chunk;
    }
  }
  const keep = tidyWhenInterrupted(() => rmSync(partial, { force: true }));
  try {
    await pipeline(counted, createWriteStream(partial, { flags: "wx" }));
    await rename(partial, path);
    return size;
  } catch (cause) {
    await rm(partial, { force: true });
    if (cause instanceof AuthzClientError) throw cause;
    throw notSaved(cause, { what: `The answer could not be saved as ${path}.`, usage: false });
  } finally {
    keep();
  }
}

function notSaved(cause: unknown, { what, usage }: { what: string; usage: boolean }): CliError {
  const why = fileProblem(cause);
  return new CliError(usage ? "usage" : "not_saved", {
    what,
    ...(why === undefined ? {} : { why }),
    hint: `Choose a file in an existing folder that you can write to${usage ? "" : ", and check the free space"}.`,
    exitCode: usage ? EXIT.usage : EXIT.failure,
    cause,
  });
}
