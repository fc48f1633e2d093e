const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "You may not use it: its permissions, or those of a folder above it, say so.",
  EPERM: "You may not use it: its permissions, or those of a folder above it, say so.",
  EDQUOT: "Your share of the disk is used up.",
  EEXIST: "There is already something else with this name.",
  EISDIR: "It is a folder.",
  ELOOP: "Its links point at one another.",
  EMFILE: "Too many files are open.",
  ENAMETOOLONG: "Its name is too long.",
  ENOENT: "There is no such file or folder.",
  ENOSPC: "The disk is full.",
  ENOTDIR: "A part of its path is a file and not a folder.",
  EROFS: "It is on a disk that cannot be written to.",
};

/** Why a file cannot be used, in words; undefined when the cause says nothing. */
export function fileProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return PROBLEMS[code] ?? cause.message;
}
