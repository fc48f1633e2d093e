import { join } from "node:path";
import type { TransportAnswer } from "@authz/client";
import { cleanText } from "@authz/skills/invisible";
import { answerFrame } from "@authz/agent-tools";
import { formatBytes } from "../../output/transfer-progress.js";
import { send } from "../../streams.js";
import type { CommandContext } from "../command.js";

/** What a model is shown of one answer; the whole of it goes into a file. */
const agentCharacters = 100_000;

/**
 * Shows the body of an answer, cleaned and in a frame that says whose it is. What cannot be shown, or is too much for a model, is saved as
 * a file of its own.
 */
export async function showBody(
  answer: TransportAnswer,
  from: string,
  context: CommandContext,
): Promise<void> {
  const { stdout } = context.runtime;
  const chunks = answer.body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  if (isBinary(first.value)) {
    const saved = await spill([first.value], chunks, answer, context);
    context.output.note(`The answer is not text. It was saved as ${saved}.`);
    return;
  }
  const frame = answerFrame(from);
  const shown = new ShownText(context.output.agent ? agentCharacters : Number.POSITIVE_INFINITY);
  const kept: Uint8Array[] = [];
  let goesOn = await send(stdout, `${frame.begin}\n`);
  try {
    for (
      let next: IteratorResult<Uint8Array> = first;
      next.done !== true && goesOn;
      next = await chunks.next()
    ) {
      if (context.output.agent) kept.push(next.value);
      goesOn = await send(stdout, shown.read(next.value));
      if (shown.isCut) break;
    }
  } finally {
    // Also when the answer breaks off: what is said about that must not appear as its words.
    if (goesOn) await send(stdout, `${shown.end()}${frame.end}\n`);
  }
  if (!goesOn) return answer.discard();
  if (shown.isCut) {
    const saved = await spill(kept, chunks, answer, context);
    const limit = agentCharacters.toLocaleString("en");
    context.output.note(`The answer is cut after ${limit} characters. All of it was saved as ${saved}.`);
  }
  if (shown.isBroken)
    context.output.note(
      "Some bytes of the answer are not UTF-8 and are shown as \ufffd. As they came: -o FILE",
    );
}

/** Text as it is shown: decoded, cleaned, and cut. */
class ShownText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #left: number;
  #held = "";
  #last = "\n";
  isCut = false;
  isBroken = false;

  constructor(limit: number) {
    this.#left = limit;
  }

  read(chunk: Uint8Array): string {
    return this.#show(this.#decoder.decode(chunk, { stream: true }));
  }

  /** What is left of an unfinished character, and the end of the last line. */
  end(): string {
    const rest = this.isCut ? "" : this.#show(this.#decoder.decode());
    return this.#last === "\n" ? rest : `${rest}\n`;
  }

  #show(text: string): string {
    this.isBroken ||= text.includes("\ufffd");
    // The two halves of a line end may come one by one.
    const whole = this.#held + text;
    this.#held = whole.endsWith("\r") && text !== "" ? "\r" : "";
    const clean = cleanText(whole.slice(0, whole.length - this.#held.length));
    this.isCut ||= clean.length > this.#left;
    const shown = clean.slice(0, this.#left);
    this.#left -= shown.length;
    this.#last = shown.at(-1) ?? this.#last;
    return shown;
  }
}

/** A NUL is in nearly every format that is not text, and in no text. */
function isBinary(chunk: Uint8Array): boolean {
  return chunk.includes(0);
}

/** Saves a whole answer, of which some has been read, where only this user gets. */
async function spill(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  { headers }: TransportAnswer,
  { runtime }: CommandContext,
): Promise<string> {
  const [{ mkdtemp }, { saveAnswer }] = await Promise.all([
    import("node:fs/promises"),
    import("./save-answer.js"),
  ]);
  async function* whole(): AsyncIterable<Uint8Array> {
    yield* begun;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  }
  const folder = await mkdtemp(join(runtime.temporary, "authz-"));
  const path = join(folder, `answer.${extensionFor(headers["content-type"])}`);
  const bytes = await saveAnswer(whole(), path);
  return `${path} (${formatBytes(bytes)})`;
}

const extensions: readonly (readonly [type: RegExp, extension: string])[] = [
  [/^application\/(?:[\w.+-]+\+)?json\b/i, "json"],
  [/^text\/csv\b/i, "csv"],
  [/^text\/html\b/i, "html"],
  [/^(?:text|application)\/xml\b/i, "xml"],
  [/^text\//i, "txt"],
  [/^application\/pdf\b/i, "pdf"],
  [/^application\/zip\b/i, "zip"],
  [/^image\/png\b/i, "png"],
  [/^image\/jpeg\b/i, "jpg"],
];

function extensionFor(type = ""): string {
  return extensions.find(([pattern]) => pattern.test(type))?.[1] ?? "bin";
}
