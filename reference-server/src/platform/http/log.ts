import { type DestinationStream, type Logger, pino } from "pino";
import { withoutSecrets } from "./without-secrets.js";

/** How much is logged. */
export type LogLevel = (typeof logLevels)[number];

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** The server's log: JSON lines on standard output, secrets redacted. */
export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    // Not pino's own `redact`: it costs more than all the rest of a line.
    formatters: { log: withoutSecrets },
    serializers: { err: (error: Error) => withoutSecrets({ ...pino.stdSerializers.err(error) }) },
  };
  return pino(options, destination ?? byTurn(pino.destination({ dest: 1, sync: true })));
}

/**
 * Lines of one turn of the event loop go out with one write. Nothing waits longer than that, and nothing is lost when
 * the process ends by itself.
 */
function byTurn(stream: DestinationStream): DestinationStream & { readonly flushSync: () => void } {
  let lines = "";
  function flushSync(): void {
    const text = lines;
    lines = "";
    if (text !== "") stream.write(text);
  }
  process.once("exit", flushSync);
  return {
    write(line) {
      if (lines === "") setImmediate(flushSync);
      lines += line;
    },
    flushSync,
  };
}
