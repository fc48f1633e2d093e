import type { CliErrorText } from "./messages/cli-error.js";

/** Something that was asked of Node and that would show credentials, and what to do about it. */
export type Exposure = Pick<CliErrorText, "what" | "why" | "hint" | "next">;

/** The parts of Node that print what they send, or the options of what they start. */
const talkative = ["http", "https", "http2", "net", "tls", "stream", "undici", "fetch", "child_process"];

/** Options that open the process, or its connections, to others. */
const opening = [
  "--inspect",
  "--inspect-brk",
  "--inspect-wait",
  "--tls-keylog",
  "--trace-tls",
  "--heapsnapshot-signal",
  "--heapsnapshot-near-heap-limit",
];

/**
 * Whether Node was asked for something that would show credentials: `NODE_DEBUG`, a debugger, the keys of connections, pictures of memory.
 *
 * Node reads `NODE_DEBUG` before any of our code runs, so it cannot be taken back: the command does not begin.
 */
export function findExposure({
  env,
  execArgv,
  isDebugged,
}: {
  env: Readonly<Record<string, string | undefined>>;
  execArgv: readonly string[];
  isDebugged: (section: string) => boolean;
}): Exposure | undefined {
  if ((env.NODE_DEBUG ?? "") !== "" && talkative.some(isDebugged))
    return {
      what: "NODE_DEBUG is set, and Node would print your credentials.",
      why: "Nothing was sent.",
      hint: "Run the command again without NODE_DEBUG.",
      next: { do: "add", lead: "To see what is sent, without credentials, add", words: ["--verbose"] },
    };
  const fromVariable = (env.NODE_OPTIONS ?? "").split(/\s+/).map((word) => word.replace(/^["']/, ""));
  const option = [...execArgv, ...fromVariable].map(nameOf).find((name) => opening.includes(name));
  if (option === undefined) return undefined;
  return {
    what: `Node was started with ${option}, which would show your credentials to others.`,
    why: "Nothing was sent.",
    hint: "Take it out of NODE_OPTIONS, or out of the command that starts Node, and run the command again.",
  };
}

/** Node takes `_` for `-`. */
function nameOf(option: string): string {
  return option.split("=", 1)[0]?.replaceAll("_", "-") ?? "";
}
