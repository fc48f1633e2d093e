import { quoted } from "@authz/skills/invisible";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";

/** Gives the results of a filter for a JSON text, each as JSON on one line. */
export type JqFilter = (json: string) => Promise<readonly string[]>;

/**
 * Prepares a filter of jq, before anything is sent. It is jq itself, compiled to WebAssembly: it sees the text it is given, and neither
 * files nor the environment.
 *
 * @throws {CliError} `usage` when it is no filter.
 */
export async function openJqFilter(filter: string): Promise<JqFilter> {
  // This entry has the WebAssembly in it, so that it also works from a bundle.
  const { raw } = await import("jq-wasm/inline");
  // All results are collected before the first is written: of an error after some of them, the library would say nothing.
  const whole = `[inputs | (${filter}\n)][]`;
  const run = async (json: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await raw(json, whole, ["-c", "-n"]);
    if (exitCode !== 0) throw new Error(stderr);
    return stdout;
  };
  await run("").catch((cause: unknown) => {
    throw new CliError("usage", {
      what: "The value of --jq is not a valid filter, so nothing was sent.",
      why: wordsOf(cause, filter),
      hint: "Write it as for jq (https://jqlang.org/manual), in single quotes: --jq '.items[].name'",
      exitCode: exitCodes.usage,
      cause,
    });
  });
  return async (json) => {
    try {
      return (await run(json)).split("\n").filter((line) => line !== "");
    } catch (cause) {
      throw new CliError("service_failed", {
        what: "The filter does not fit the answer, which was printed as it came.",
        why: wordsOf(cause, filter),
        hint: "Correct the filter, or leave out --jq if the answer is not JSON.",
        exitCode: exitCodes.failure,
        cause,
      });
    }
  };
}

/** A result as a person or a program reads it: a string as it is, everything else as JSON. */
export function resultText(result: string): string {
  return result.startsWith('"') ? (JSON.parse(result) as string) : result;
}

/** What jq says, without what it repeats of the filter and where it read. It repeats parts of the answer. */
function wordsOf(cause: unknown, filter: string): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  const [first = ""] = said.split("\n");
  const problem = first
    .replace(/^.*?jq: (?:error(?: \(at [^)]*\))?: )?/, "")
    .replace(/ at <top-level>.*$/, "");
  return `jq says about ${filter}: ${quoted(problem)}`;
}
