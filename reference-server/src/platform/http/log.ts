import { type DestinationStream, type Logger, pino } from "pino";
import { createLogOutput, type LogOutput } from "./log-output.js";
import { withoutSecrets } from "./without-secrets.js";

/** How much is logged. */
export type LogLevel = (typeof logLevels)[number];

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** The server's log: JSON lines, secrets redacted; on standard output, unless another destination is named. */
export function createLog(
  level: LogLevel,
  destination: DestinationStream | LogOutput = createLogOutput(),
): Logger {
  const options = {
    level,
    base: null,
    // Not pino's own `redact`: it costs more than all the rest of a line.
    formatters: { log: withoutSecrets },
    serializers: { err: (error: Error) => withoutSecrets({ ...pino.stdSerializers.err(error) }) },
  };
  const log = pino(options, destination);
  if ("onRecovered" in destination)
    destination.onRecovered((count) =>
      log.warn(
        { code: "LOG_LINES_DROPPED", count },
        "Lines of this log were dropped: its disk was full, or its reader stalled.",
      ),
    );
  return log;
}
