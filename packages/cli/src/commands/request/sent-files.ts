import { access, constants, stat } from "node:fs/promises";
import { fileProblem } from "@authz/client";
import { EXIT } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";

/** The size of a file that can be sent. @throws {CliError} It cannot be read. */
export async function fileSize(name: string): Promise<number> {
  const facts = await stat(name).catch((cause: unknown) => unreadable(name, cause));
  if (!facts.isFile())
    unreadable(name, new Error(facts.isDirectory() ? "It is a folder." : "It is not a file."));
  await access(name, constants.R_OK).catch((cause: unknown) => unreadable(name, cause));
  return facts.size;
}

/** The failure for a file that cannot be sent. */
export function unreadable(name: string, cause: unknown): never {
  const why = fileProblem(cause);
  throw new CliError("usage", {
    what: `The file ${name} cannot be read, so nothing was sent.`,
    ...(why === undefined ? {} : { why }),
    hint: "Name a file that you can read, or - for standard input.",
    exitCode: EXIT.usage,
    cause,
  });
}
