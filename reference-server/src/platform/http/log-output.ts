import { fstatSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** The most text that waits for a reader, in characters: a minute of a busy server. More is dropped. */
const mostWaiting = 1024 * 1024;
const retryMilliseconds = 50;
const newline = 0x0a;
/** Retries for a slow reader when the process ends. */
const lastRetries = 10;

/** Where the lines of the log go. Never stops the server: what cannot be written is dropped, and counted. */
export interface LogOutput extends DestinationStream {
  readonly flushSync: () => void;
  /** Lines that were dropped so far. */
  readonly dropped: () => number;
  /** Calls the listener with the number of dropped lines once lines are written again. */
  readonly onRecovered: (listener: (dropped: number) => void) => void;
}

/**
 * Creates the output to a file, a terminal, a pipe or a socket.
 *
 * Lines of one turn of the event loop are written together. The rest is retried when the reader of a pipe stalls; on a full disk, or
 * without a reader, lines are dropped at once.
 *
 * @param fd - standard output except in tests; a pipe or socket must not block
 */
export function createLogOutput(fd = 1): LogOutput {
  if (fd === 1) unblockStandardOutput();
  let lines = "";
  let rest = Buffer.alloc(0);
  let isStalled = false;
  let lastByte = newline;
  let dropped = 0;
  let unreported = 0;
  let report: (count: number) => void = () => undefined;

  function drop(count: number): void {
    dropped += count;
    unreported += count;
  }

  function flush(): "written" | "stalled" | "dropped" {
    if (lines !== "") {
      // After a line that was cut, the next one begins on a line of its own.
      const isCut = rest.length === 0 && lastByte !== newline;
      rest = Buffer.concat([rest, Buffer.from(isCut ? `\n${lines}` : lines)]);
      lines = "";
    }
    try {
      while (rest.length > 0) {
        const written = writeSync(fd, rest);
        lastByte = rest[written - 1] ?? lastByte;
        rest = rest.subarray(written);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "stalled";
      const isSeparated = rest[0] === newline;
      drop(rest.filter((byte) => byte === newline).length - (isSeparated ? 1 : 0));
      rest = Buffer.alloc(0);
      return "dropped";
    }
    return "written";
  }

  function flushInTurn(): void {
    const before = rest.length + lines.length;
    const outcome = flush();
    isStalled = outcome === "stalled";
    // A reader that is only slow gets more as soon as it can have read.
    if (isStalled) setTimeout(flushInTurn, rest.length < before ? 1 : retryMilliseconds).unref();
    if (outcome !== "written" || unreported === 0) return;
    const count = unreported;
    unreported = 0;
    report(count);
  }

  process.once("exit", () => {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let retry = 0; flush() === "stalled" && retry < lastRetries; retry += 1)
      Atomics.wait(clock, 0, 0, retryMilliseconds);
  });

  return {
    write(line) {
      if (rest.length + lines.length > mostWaiting) return drop(1);
      if (lines === "" && !isStalled) setImmediate(flushInTurn);
      lines += line;
    },
    flushSync: () => void flush(),
    dropped: () => dropped,
    onRecovered(listener) {
      report = listener;
    },
  };
}

/** Node.js makes a pipe or socket non-blocking when it opens its stream; nothing else can. */
function unblockStandardOutput(): void {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isSocket()) process.stdout.on("error", () => undefined);
}
