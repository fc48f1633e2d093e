import { createReadStream } from "node:fs";
import { access, constants, readFile, stat } from "node:fs/promises";
import { fileProblem } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";

/** A file as it is sent: the bytes that it has now. What a program adds meanwhile is not announced, and would be taken for a next request. */
export interface SentFile {
  size: number;
  /** Opened anew whenever it is sent. */
  content: () => AsyncIterable<Uint8Array>;
}

/** @throws {CliError} It cannot be read. */
export async function openFile(name: string): Promise<SentFile> {
  const facts = await stat(name).catch((cause: unknown) => unreadable(name, cause));
  if (!facts.isFile())
    unreadable(name, new Error(facts.isDirectory() ? "It is a folder." : "It is not a file."));
  await access(name, constants.R_OK).catch((cause: unknown) => unreadable(name, cause));
  const { size } = facts;
  if (size > 0) return { size, content: () => beginning(name, size) };
  // Files that the kernel makes up, as below /proc, say that they are empty.
  const bytes = await readFile(name).catch((cause: unknown) => unreadable(name, cause));
  return { size: bytes.byteLength, content: () => once(bytes) };
}

async function* beginning(name: string, size: number): AsyncIterable<Uint8Array> {
  let left = size;
  for await (const chunk of createReadStream(name, { end: size - 1 })) {
    const bytes = chunk as Uint8Array;
    left -= bytes.byteLength;
    yield bytes;
  }
  if (left > 0) throw new Error(`The file ${name} became shorter while it was sent.`);
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** The failure for a file that cannot be sent. */
export function unreadable(name: string, cause: unknown): never {
  const why = fileProblem(cause);
  throw new CliError("usage", {
    what: `The file ${name} cannot be read, so nothing was sent.`,
    ...(why === undefined ? {} : { why }),
    hint: "Name a file that you can read, or - for standard input.",
    exitCode: exitCodes.usage,
    cause,
  });
}
