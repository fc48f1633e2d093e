import { styleText } from "node:util";
import { expectedStatus, type ServiceResult } from "./result.js";

/** Receives the story while it happens. */
export interface Narrator {
  chapter(title: string): void;
  line(text: string): void;
  service(result: ServiceResult): void;
}

/** What is asked of each service, in the order it happens. */
const questions = {
  unauthenticated: "without signing in",
  authorized: "with Ada's permission to read contracts",
  replayed: "the same request a second time, as overheard on the wire",
  missing_scope: "creating a contract with the permission to read",
} as const;

const maxBody = 150;

/** For `--json`: nothing may be printed but the result. */
export const silentNarrator: Narrator = {
  chapter: () => undefined,
  line: () => undefined,
  service: () => undefined,
};

/** For people: one paragraph per chapter, one line per answer. */
export function createNarrator(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Narrator {
  const colour = stream.isTTY && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb";
  const paint = (style: "bold" | "green" | "red" | "dim", text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const print = (text: string): void => void stream.write(`${text.trimEnd()}\n`);
  return {
    chapter: (title) => print(`\n  ${paint("bold", title)}\n`),
    line: (text) => print(`    ${text}`),
    service(result) {
      for (const [name, question] of Object.entries(questions)) {
        const answer = name as keyof typeof questions;
        const right = result[answer] === expectedStatus[answer];
        print(`    ${right ? paint("green", "✓") : paint("red", "✗")} ${result[answer]}  ${question}`);
      }
      print(`           ${paint("dim", describeBody(result.body))}`);
    },
  };
}

function describeBody(body: unknown): string {
  const text = JSON.stringify(body) ?? "nothing";
  return text.length > maxBody ? `${text.slice(0, maxBody)}…` : text;
}
