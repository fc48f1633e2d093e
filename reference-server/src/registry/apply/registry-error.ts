/** A registry file that was refused as a whole; each problem names its place in the file. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The registry file was not applied:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}
