export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
