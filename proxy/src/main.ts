import { readFileSync } from "./builtins.js";
import { ConfigError, loadConfig, type ProxyConfig, variableHelp } from "./config.js";
import { createLog, type Log } from "./log.js";
import { createProxyServer } from "./server.js";

/** Below the 10 seconds after which container platforms kill a process. */
const graceMilliseconds = 8_000;

/** The `authz-discovery-proxy` command: runs until SIGTERM or SIGINT, or prints its help or version. */
export async function runProxyCommand(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const answer = answerArguments(args);
  if (answer !== undefined) {
    (answer.exitCode === 0 ? process.stdout : process.stderr).write(answer.text);
    process.exitCode = answer.exitCode;
    return;
  }
  const log = createLog();
  try {
    await run(loadConfig(process.env), log);
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof ConfigError) {
      const variables = error.problems.map(({ variable }) => variable).join(",");
      log.fatal({ variables }, `The proxy cannot start. ${error.message}`);
    } else {
      log.fatal({}, `The proxy cannot start. ${describeStartFailure(error)}`);
    }
  }
}

async function run(config: ProxyConfig, log: Log): Promise<void> {
  const server = createProxyServer({ ...config, log });
  const stop = async (signal: NodeJS.Signals) => {
    log.info({ signal }, "The proxy stops: running requests end first.");
    await server.close(graceMilliseconds);
    log.info({}, "The proxy has stopped.");
  };
  const port = await server.listen(config.port);
  // Once each, so that a second signal ends the process immediately.
  process.once("SIGTERM", (signal) => void stop(signal));
  process.once("SIGINT", (signal) => void stop(signal));
  log.info({ port, upstream: config.upstream }, "The proxy is listening.");
}

function describeStartFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return "Its port is taken. Set AUTHZ_PROXY_PORT to another one.";
  if (code === "EACCES") return "Its port needs more rights. Set AUTHZ_PROXY_PORT to one above 1023.";
  return message;
}

const help = `Forwards the metadata and the key set of an Authz authorization server, its token status list if you want, and
nothing else.

  AUTHZ_UPSTREAM=https://auth.example.com authz-discovery-proxy

Everything comes from the environment:

${Object.entries(variableHelp)
  .map(([name, text]) => `  ${name.padEnd(27)}${text}`)
  .join("\n")}

  -h, --help      show this
  -V, --version   show the version
`;

/** The output and exit code of a command line with arguments; undefined without arguments. */
function answerArguments(
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
