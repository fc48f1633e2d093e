import { performance } from "node:perf_hooks";
import { clearInterval, setInterval } from "node:timers";
import { stripVTControlCharacters, styleText } from "node:util";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMilliseconds = 100;
const titleWidth = 34;

/**
 * Tells what is going on while it takes time: one live line per step on a terminal, plain lines elsewhere.
 * The typed description is in progress.d.mts. Plain JavaScript, because it runs before anything is built.
 */
export function createProgress(stream = process.stderr) {
  const live = stream.isTTY && process.env.TERM !== "dumb";
  const paint = (style, text) =>
    live && process.env.NO_COLOR === undefined ? styleText(style, text, { validateStream: false }) : text;
  let spinner;

  function line(symbol, title, right) {
    return `  ${symbol} ${right === "" ? title : `${title.padEnd(titleWidth)} ${right}`}`;
  }

  /** A line that wraps cannot be replaced. */
  function fit(text) {
    const room = (stream.columns ?? 80) - 1;
    return stripVTControlCharacters(text).length > room
      ? stripVTControlCharacters(text).slice(0, room)
      : text;
  }

  function clear() {
    clearInterval(spinner);
    if (live) {
      stream.write("\r\x1b[2K");
    }
  }

  return {
    step(title) {
      const started = performance.now();
      const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
      let detail = "";
      let frame = 0;
      const draw = () => {
        frame = (frame + 1) % frames.length;
        const right = [seconds(), detail].filter((part) => part !== "").join("  ");
        stream.write(`\r\x1b[2K${fit(line(paint("cyan", frames[frame]), title, paint("dim", right)))}`);
      };
      if (live) {
        draw();
        spinner = setInterval(draw, frameMilliseconds);
        spinner.unref();
      } else {
        stream.write(`${line("·", title, "")}\n`);
      }
      const end = (symbol, note) => {
        clear();
        const right = [seconds(), note].filter((part) => part !== undefined && part !== "").join("  ");
        stream.write(`${line(symbol, title, paint("dim", right))}\n`);
      };
      return {
        update(text) {
          detail = text;
        },
        done: (note) => end(paint("green", "✓"), note),
        fail: (note) => end(paint("red", "✗"), note),
      };
    },
  };
}
