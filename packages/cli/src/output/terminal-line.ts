import type { Writable } from "node:stream";
import { tidyWhenInterrupted } from "../interruption.js";

interface Line {
  text: string;
  keep: () => void;
}

// One terminal has one line, however many parts of a command write to it.
const lines = new WeakMap<Writable, Line>();

/** Shows a line that the next text replaces. When a signal ends the process first, it does not stay. */
export function showProgress(stream: Writable, text: string): void {
  clearProgress(stream);
  // Before it is there to be seen: whoever sees it may press Ctrl-C at once.
  lines.set(stream, { text, keep: tidyWhenInterrupted(() => clearProgress(stream)) });
  stream.write(text);
}

/** Takes the line away. */
export function clearProgress(stream: Writable): void {
  const line = lines.get(stream);
  if (line === undefined) return;
  lines.delete(stream);
  line.keep();
  stream.write("\r\u001b[2K");
}

/** The line that is shown now. */
export function progressOn(stream: Writable): string | undefined {
  return lines.get(stream)?.text;
}
