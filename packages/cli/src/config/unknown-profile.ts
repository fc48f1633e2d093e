import { CliError, type CliErrorText } from "../messages/cli-error.js";
import { EXIT } from "../exit-code.js";
import type { Config } from "./config.js";

export const SEE_PROFILES: Pick<CliErrorText, "hint" | "next"> = {
  hint: "See the profiles",
  next: { do: "run", words: ["config"], inEveryProfile: true },
};

/** A profile was named that is not there. */
export function unknownProfile(
  name: string,
  config: Config,
  offered: Pick<CliErrorText, "hint" | "next">,
): CliError {
  return new CliError("usage", {
    what: `There is no profile "${name}".`,
    why: `There are: ${Object.keys(config.profiles).join(", ") || "none yet"}.`,
    ...offered,
    exitCode: EXIT.usage,
  });
}
