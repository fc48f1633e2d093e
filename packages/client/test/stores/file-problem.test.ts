import { describe, expect, it } from "vitest";
import { fileProblem } from "../../src/index.js";

const failed = (code: string): Error =>
  Object.assign(new Error(`${code}: it failed, open '/x'`), { code, errno: -1, syscall: "open" });

describe("why a file cannot be used", () => {
  for (const code of ["EACCES", "EISDIR", "ENOENT", "ENOSPC", "ENOTDIR", "EROFS"]) {
    it(`is said in words for ${code}`, () => {
      const words = fileProblem(failed(code));
      expect(words).toMatch(/^[A-Z].*\.$/);
      expect(words).not.toContain(code);
    });
  }

  it("is what the cause says when it is none of the system's codes", () => {
    expect(fileProblem(new Error("It is a folder."))).toBe("It is a folder.");
    expect(fileProblem(failed("EWHATEVER"))).toContain("EWHATEVER");
    expect(fileProblem("nothing")).toBeUndefined();
  });
});
