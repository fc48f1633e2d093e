import { readFileSync } from "./builtins.js";
import { variableHelp } from "./config.js";

const help = `Forwards the metadata and the key set of an Authz authorization server, and nothing else.

  AUTHZ_UPSTREAM=https://auth.example.com authz-discovery-proxy

Everything comes from the environment:

${Object.entries(variableHelp)
  .map(([name, text]) => `  ${name.padEnd(24)}${text}`)
  .join("\n")}

  -h, --help      show this
  -V, --version   show the version
`;

/** What the command says instead of running, and how it ends then. */
export function answerArguments(
  args: readonly string[],
): { readonly text: string; readonly exitCode: number } | undefined {
  const [first] = args;
  if (first === undefined) return undefined;
  if (args.some((arg) => arg === "-h" || arg === "--help")) return { text: help, exitCode: 0 };
  if (args.some((arg) => arg === "-V" || arg === "--version")) return { text: `${version()}\n`, exitCode: 0 };
  const text = `authz-discovery-proxy knows no "${first}".\nEverything comes from the environment: authz-discovery-proxy --help\n`;
  return { text, exitCode: 2 };
}

function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
