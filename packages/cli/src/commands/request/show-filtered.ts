import type { TransportAnswer } from "@authz/client";
import type { CommandContext } from "../command.js";
import { showHead } from "./answer-head.js";
import { type JqFilter, resultText } from "./jq-filter.js";
import { readAnswerBody } from "./read-answer.js";
import type { RequestOptions } from "./request-options.js";
import { writeBody } from "./write-body.js";

/** Prints what a filter makes of an answer; the answer itself when the filter does not fit, because it may not come again. */
export async function showFiltered(
  context: CommandContext,
  {
    url,
    options,
    answer,
    filter,
  }: { url: string; options: RequestOptions; answer: TransportAnswer; filter: JqFilter },
): Promise<void> {
  const { output } = context;
  const { status, headers } = answer;
  const from = new URL(url).host;
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (options.include === true && !output.json) showHead(answer, from, context);
  try {
    const facts = { status, url, headers };
    await showResults(context, { json: bytes.toString("utf8"), filter, from, facts });
  } catch (error) {
    if (!output.json) await writeBody(wholeAnswer(bytes, headers), from, context);
    else {
      const { values, texts } = await readAnswerBody(wholeAnswer(bytes, headers));
      output.data({ status, url, headers, ...values }, texts);
    }
    throw error;
  }
}

/** Prints the results of a filter: one a line, in the frame that the answer would have, or together with what else is known. */
export async function showResults(
  context: CommandContext,
  { json, filter, from, facts }: { json: string; filter: JqFilter; from: string; facts: object },
): Promise<void> {
  const { runtime, output } = context;
  const results = await filter(json);
  if (output.json) {
    output.data(facts, { results: `[${results.join(",")}]` });
  } else if (runtime.stdoutIsTerminal || output.agent) {
    const text = results.map((result) => `${resultText(result)}\n`).join("");
    await writeBody(wholeAnswer(Buffer.from(text), { "content-type": "text/plain" }), from, context);
  } else {
    for (const result of results) output.text(resultText(result));
  }
}

/** An answer that has been read already. */
function wholeAnswer(bytes: Uint8Array, headers: TransportAnswer["headers"]): TransportAnswer {
  async function* body(): AsyncIterable<Uint8Array> {
    if (bytes.byteLength > 0) yield bytes;
  }
  return { status: 200, headers, body: body(), discard: () => undefined };
}
