/** The kinds of faults in a catalog. */
export type SkillFault =
  | "missing"
  | "object"
  | "string"
  | "list"
  | "notEmpty"
  | "characters"
  | "items"
  | "skillId"
  | "oneLine"
  | "scopeKey"
  | "visibility"
  | "noControls"
  | "unknownMember"
  | "twice"
  | "catalogSize"
  | "content"
  | "hiddenCharacters"
  | "filePath"
  | "fileTwice"
  | "fileSize"
  | "filesSize"
  | "digest"
  | "noFiles";

/** A refused catalog; the message names the place and the fault. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** Where in the catalog, such as `[2].title`; empty for the catalog as a whole. */
  readonly path: string;
  /** The fault as a code, for messages in your own words. */
  readonly fault: SkillFault;
  /** The values for those messages, such as how many characters there may be. */
  readonly values: Readonly<Record<string, string | number>>;

  constructor(
    path: string,
    problem: string,
    { fault, ...values }: { readonly fault: SkillFault; readonly [name: string]: string | number },
  ) {
    super(`${path === "" ? "The catalog" : path} ${problem}`);
    this.path = path;
    this.fault = fault;
    this.values = values;
  }
}
