/** Levels with pino's numbers, so that the lines of server and proxy can be read together. */
const levels = { info: 30, error: 50, fatal: 60 } as const;

type LogFields = Readonly<Record<string, string | number>>;

/** Writes one JSON object per line. */
export type Log = Readonly<Record<keyof typeof levels, (fields: LogFields, message: string) => void>>;

/**
 * The proxy's log. Without a library, because it has only a few lines and none per caller.
 *
 * @param write - standard output by default. A line that cannot be written is lost and does not end the process
 */
export function createLog(write = createStandardOutput(), clock: () => number = Date.now): Log {
  const writer = (level: number) => (fields: LogFields, message: string) =>
    write(`${JSON.stringify({ level, time: clock(), ...fields, msg: message })}\n`);
  return { info: writer(levels.info), error: writer(levels.error), fatal: writer(levels.fatal) };
}

function createStandardOutput(): (line: string) => void {
  process.stdout.on("error", () => undefined);
  return (line) => void process.stdout.write(line);
}
