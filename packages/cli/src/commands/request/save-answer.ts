import { randomBytes } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { access, chmod, constants, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { AuthzClientError, fileProblem } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { tidyWhenInterrupted } from "../../interruption.js";
import { CliError } from "../../messages/cli-error.js";

/** Where an answer goes. */
interface Place {
  path: string;
  /** A device or a pipe is written to; a file is replaced. */
  isReplaced: boolean;
  /** Who may read and write the file that is there. */
  mode?: number;
}

/**
 * Checks that an answer could be saved, before the request that cannot be taken back.
 *
 * @throws {CliError} `usage`
 */
export async function requireSavable(name: string): Promise<void> {
  if (name === "" || name === "-")
    throw new CliError("usage", {
      what: `-o needs the name of a file, and "${name}" is none. Nothing was sent.`,
      hint: "Leave -o out: the answer is then printed.",
      exitCode: exitCodes.usage,
    });
  try {
    const { path, isReplaced } = await findPlace(name);
    if (!isReplaced) return await access(path, constants.W_OK);
    const folder = dirname(path);
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder.`);
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw notSaved(cause, {
      what: `Nothing can be saved as ${name}, so nothing was sent.`,
      usage: true,
    });
  }
}

/** Follows links: what they lead to is meant, as for every program that writes a file. */
async function findPlace(name: string): Promise<Place> {
  const there = await stat(name).catch(() => undefined);
  if (there === undefined) return { path: name, isReplaced: true };
  if (there.isDirectory()) throw new Error("It is a folder.");
  if (!there.isFile()) return { path: name, isReplaced: false };
  return { path: await realpath(name), isReplaced: true, mode: there.mode & 0o777 };
}

/**
 * Streams an answer into a file and answers with its size. The file appears when it is complete, and not before; one that is there keeps
 * its permissions.
 *
 * @throws {CliError} `not_saved`
 * @throws {AuthzClientError} `unreachable` when the answer broke off.
 */
export async function saveAnswer(
  body: AsyncIterable<Uint8Array>,
  name: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<number> {
  let size = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      size += chunk.byteLength;
      onBytes(size);
      yield chunk;
    }
  }
  try {
    const place = await findPlace(name);
    if (place.isReplaced) await replace(place, counted());
    else await pipeline(counted, createWriteStream(place.path));
    return size;
  } catch (cause) {
    if (cause instanceof AuthzClientError) throw cause;
    throw notSaved(cause, { what: `The answer could not be saved as ${name}.`, usage: false });
  }
}

async function replace({ path, mode }: Place, content: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${path}.${randomBytes(4).toString("hex")}.part`;
  const keep = tidyWhenInterrupted(() => rmSync(partial, { force: true }));
  try {
    await pipeline(content, createWriteStream(partial, { flags: "wx", ...(mode !== undefined && { mode }) }));
    if (mode !== undefined) await chmod(partial, mode);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
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
    exitCode: usage ? exitCodes.usage : exitCodes.failure,
    cause,
  });
}
