import type { NextStep, Invocation } from "../messages/next-step.js";
import type { Output } from "../output/output.js";
import type { Surroundings } from "../surroundings.js";

/** What every command is given beside its own arguments. */
export interface CommandContext {
  surroundings: Surroundings;
  output: Output;
  /** The value of `--profile`. */
  profile: string | undefined;
  /** How this command was started. */
  invocation: Invocation;
  /** A command to be typed next. */
  offer: (step: NextStep) => string;
}
