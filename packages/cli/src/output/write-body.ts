import { once } from "node:events";
import type { Writable } from "node:stream";
import type { TransportAnswer } from "@authz/client";
import type { Surroundings } from "../surroundings.js";
import { cleanText } from "./clean-text.js";

/**
 * Streams the body of an answer to stdout: byte for byte into a pipe or file, cleaned on a terminal.
 */
export async function writeBody(answer: TransportAnswer, surroundings: Surroundings): Promise<void> {
  const { stdout, stdoutIsTerminal } = surroundings;
  if (stdoutIsTerminal) await writeCleaned(answer, surroundings);
  else for await (const chunk of answer.body) await writeChunk(stdout, chunk);
}

async function writeCleaned(answer: TransportAnswer, { stdout, stderr }: Surroundings): Promise<void> {
  const decoder = new TextDecoder();
  let lastCharacter = "\n";
  for await (const chunk of answer.body) {
    if (chunk.includes(0)) {
      answer.discard();
      stderr.write("The answer is not text. Send it to a file: authz request … > FILE\n");
      return;
    }
    const text = cleanText(decoder.decode(chunk, { stream: true }));
    lastCharacter = text.at(-1) ?? lastCharacter;
    await writeChunk(stdout, text);
  }
  if (lastCharacter !== "\n") stdout.write("\n");
}

async function writeChunk(stream: Writable, chunk: Uint8Array | string): Promise<void> {
  if (!stream.write(chunk)) await once(stream, "drain");
}
