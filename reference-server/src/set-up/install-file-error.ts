/** An installation file that was refused as a whole; each problem names its place in the file. */
export class InstallFileError extends Error {
  override readonly name = "InstallFileError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Nothing was installed:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}
