import { once } from "node:events";
import type { Writable } from "node:stream";
import type { TransportAnswer } from "@authz/client";
import type { Surroundings } from "../surroundings.js";
import { cleanText } from "./clean-text.js";
import type { Output } from "./output.js";

/** Streams the body of an answer to stdout: byte for byte into a pipe or file, cleaned on a terminal and for agents. */
export async function writeBody(
  answer: TransportAnswer,
  { stdout, stdoutIsTerminal }: Surroundings,
  output: Output,
): Promise<void> {
  if (stdoutIsTerminal || output.agent) await writeCleaned(answer, stdout, output);
  else for await (const chunk of answer.body) await writeChunk(stdout, chunk);
}

async function writeCleaned(answer: TransportAnswer, stdout: Writable, output: Output): Promise<void> {
  const decoder = new TextDecoder();
  let lastCharacter = "\n";
  for await (const chunk of answer.body) {
    if (chunk.includes(0)) {
      answer.discard();
      output.note("The answer is not text. Save it as a file: authz request -o FILE …");
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
