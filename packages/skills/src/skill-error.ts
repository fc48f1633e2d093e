/** A catalog that was refused; the message names the place and what is wrong there. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** Where in the catalog, such as `[2].title`; empty for the catalog as a whole. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path === "" ? "The catalog" : path} ${problem}`);
    this.path = path;
  }
}
