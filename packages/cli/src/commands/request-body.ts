import { readFile } from "node:fs/promises";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import type { Surroundings } from "../surroundings.js";

/** A body and the content type it gets unless the caller names one. */
export interface RequestBody {
  bytes: Uint8Array;
  contentType: string;
}

/** Reads the value of `-d`: the text itself, `@file`, or `@-` for standard input. */
export async function readRequestBody(data: string, { stdin }: Surroundings): Promise<RequestBody> {
  const bytes = data.startsWith("@") ? await readSource(data.slice(1), stdin) : Buffer.from(data);
  return { bytes, contentType: isJson(bytes) ? "application/json" : "application/x-www-form-urlencoded" };
}

async function readSource(name: string, stdin: Surroundings["stdin"]): Promise<Buffer> {
  if (name === "-") {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(name);
  } catch (cause) {
    throw new CliError("usage", {
      what: `The file ${name} cannot be read.`,
      ...(cause instanceof Error ? { why: cause.message } : {}),
      hint: "Check the name after the @.",
      exitCode: EXIT.usage,
      cause,
    });
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
