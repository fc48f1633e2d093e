import { inspect } from "node:util";
import { cleanText } from "@authz/skills/invisible";

/** A failure that the person at the terminal can do something about: the message is all they need to see. */
export class ReadableError extends Error {
  override readonly name = "ReadableError";
}

/** Prints why the process fails, and makes it end with exit code 1. */
export function reportFailure(error: unknown): void {
  // Services and programs write parts of it.
  const text = cleanText(error instanceof ReadableError ? error.message : inspect(error));
  process.stderr.write(`\n  ${text.replaceAll("\n", "\n  ")}\n\n`);
  process.exitCode = 1;
}
