/** What the log can say, in pino's numbers, so that the server's and the proxy's lines can be read together. */
const levels = { info: 30, error: 50, fatal: 60 } as const;

type LogFields = Readonly<Record<string, string | number>>;

/** Writes one JSON object per line. */
export type Log = Readonly<Record<keyof typeof levels, (fields: LogFields, message: string) => void>>;

/**
 * The proxy's log: a handful of lines in its life, none per caller, which does not need a library.
 *
 * @param write - standard output unless a test says otherwise. A line that its disk or its reader does not take is lost, and ends nothing
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
