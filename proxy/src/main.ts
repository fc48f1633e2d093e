import { answerArguments } from "./arguments.js";
import { ConfigError, loadConfig, type ProxyConfig } from "./config.js";
import { createLog, type Log } from "./log.js";
import { createProxyServer } from "./server.js";

/** Container platforms wait ten seconds before they kill. */
const graceMilliseconds = 8_000;

/** The `authz-discovery-proxy` command: runs until SIGTERM or SIGINT, or says what it is. */
export async function runProxyCommand(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const said = answerArguments(args);
  if (said !== undefined) {
    (said.exitCode === 0 ? process.stdout : process.stderr).write(said.text);
    process.exitCode = said.exitCode;
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
  // Once each: a second signal ends the process at once.
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
