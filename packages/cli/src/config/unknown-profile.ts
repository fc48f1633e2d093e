import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-code.js";
import type { Config } from "./config.js";

/** A profile was named that is not there. */
export function unknownProfile(name: string, config: Config, hint: string): CliError {
  return new CliError("usage", {
    what: `There is no profile "${name}".`,
    why: `There are: ${Object.keys(config.profiles).join(", ") || "none yet"}.`,
    hint,
    exitCode: EXIT.usage,
  });
}
