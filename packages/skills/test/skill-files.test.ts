import { createHash } from "node:crypto";
import { catalogSkill, isSkillPath, parseCatalog, parseSkills, SkillError } from "@authz/skills";
import { describe, expect, test } from "vitest";
import { skill } from "./skill.js";

const digest = `sha256:${"0".repeat(64)}`;
const mebibyte = 1024 * 1024;

function refusalOf(run: () => unknown): { path: string; fault: string } | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof SkillError) return { path: error.path, fault: error.fault };
    throw error;
  }
  return undefined;
}

const file = (path: string, ...[content]: unknown[]): object => ({ ...skill, files: [{ path, content }] });

describe("a file of a skill", () => {
  test.each(["a", "references/errors.md", "scripts/a_b-c.2.sh", "_x", "9", "README.md", "a/skill.md"])(
    "may be at %s",
    (path) => {
      expect(isSkillPath(path)).toBe(true);
      expect(parseSkills([file(path, "x")])).toEqual([file(path, "x")]);
    },
  );

  test.each([
    "",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    "/a",
    "a/",
    "a//b",
    "a\\b",
    "..\\a",
    ".git",
    "a/.b",
    "-rf",
    "a/-b",
    "a b",
    "a%2e",
    "a\0",
    "a\n",
    "ä",
    "C:a",
    "con",
    "a/NUL.txt",
    "com1.md",
    "a.",
    "a./b",
    "SKILL.md",
    "skill.MD",
    "SKILL.md/a",
    "a".repeat(101),
    `${"a/".repeat(75)}a`,
  ])("cannot be at %j", (path) => {
    expect(isSkillPath(path)).toBe(false);
    expect(refusalOf(() => parseSkills([file(path, "x")]))?.path).toBe("[0].files[0].path");
    expect(refusalOf(() => parseCatalog([{ ...skill, files: [{ path, size: 1, digest }] }]))?.path).toBe(
      "[0].files[0].path",
    );
  });

  test.each([
    { name: "text with emoji", content: "ok ✔\uFE0F 👩\u200D💻 1\uFE0F\u20E3\r\n\tx" },
    { name: "words that a joiner shapes", content: "علی\u200Cرضا" },
    { name: "nothing", content: "" },
    { name: "bytes that are text", content: Buffer.from("é") },
    { name: "bytes that are none", content: Uint8Array.of(0x89, 0x50, 0, 0xff) },
    { name: "a mebibyte", content: "x".repeat(mebibyte) },
  ])("may have $name", ({ content }) => {
    const [parsed] = parseSkills([file("a", content)]);
    expect(Buffer.from(parsed?.files?.[0]?.content as string).equals(Buffer.from(content as string))).toBe(
      true,
    );
  });

  test.each([
    { name: "a number", content: 1, fault: "content" },
    { name: "no content", content: undefined, fault: "missing" },
    { name: "more than a mebibyte", content: "x".repeat(mebibyte + 1), fault: "fileSize" },
    { name: "a NUL", content: "a\0", fault: "hiddenCharacters" },
    { name: "an escape", content: "\u001B[2J", fault: "hiddenCharacters" },
    { name: "text that runs backwards", content: "a\u202Eb", fault: "hiddenCharacters" },
    { name: "zero-width text", content: "a\u200Bb", fault: "hiddenCharacters" },
    { name: "tags", content: "a\u{E0041}", fault: "hiddenCharacters" },
    { name: "joiners that join nothing", content: "\u200D\uFE0F".repeat(160), fault: "hiddenCharacters" },
    { name: "a joiner behind an emoji", content: "👩\u200D", fault: "hiddenCharacters" },
    { name: "an emoji's selector behind a letter", content: "a\uFE0F", fault: "hiddenCharacters" },
    { name: "a blank letter", content: "a\u2800b", fault: "hiddenCharacters" },
    { name: "the same as bytes", content: Buffer.from("a\u202Eb"), fault: "hiddenCharacters" },
  ])("cannot have $name", ({ content, fault }) => {
    expect(refusalOf(() => parseSkills([file("a", content)]))).toEqual({
      path: "[0].files[0].content",
      fault,
    });
  });

  test.each([
    { name: "twice", paths: ["a", "a"] },
    { name: "where capitals do not count", paths: ["docs/A.md", "docs/a.md"] },
    { name: "where another one's folder is", paths: ["a/b", "a"] },
    { name: "below another file", paths: ["A", "a/b/c"] },
  ])("cannot be there $name", ({ paths }) => {
    const files = paths.map((path) => ({ path, content: "x" }));
    expect(refusalOf(() => parseSkills([{ ...skill, files }]))).toEqual({
      path: "[0].files[1].path",
      fault: "fileTwice",
    });
  });

  test("does not change when the bytes that were given do", () => {
    const bytes = Buffer.from("before");
    const [parsed] = parseSkills([file("a", bytes)]);
    bytes.write("after!");
    expect(String(parsed?.files?.[0]?.content)).toBe("before");
  });
});

describe("the files of a catalog", () => {
  test("are listed with their sizes and digests", () => {
    const [parsed] = parseSkills([file("a.md", "é")]);
    if (parsed === undefined) throw new Error("There is no skill.");
    const listed = catalogSkill(parsed);
    expect(listed.files).toEqual([
      { path: "a.md", size: 2, digest: `sha256:${createHash("sha256").update("é").digest("hex")}` },
    ]);
    expect(parseCatalog(JSON.parse(JSON.stringify([listed])))).toEqual([listed]);
    expect(catalogSkill(skill)).toEqual(skill);
  });

  test.each([
    { name: "a negative size", entry: { path: "a", size: -1, digest } },
    { name: "half a byte", entry: { path: "a", size: 0.5, digest } },
    { name: "a size as text", entry: { path: "a", size: "1", digest } },
    { name: "a size beyond a mebibyte", entry: { path: "a", size: mebibyte + 1, digest } },
    { name: "a digest in capitals", entry: { path: "a", size: 1, digest: `sha256:${"A".repeat(64)}` } },
    { name: "a digest of something else", entry: { path: "a", size: 1, digest: `sha1:${"0".repeat(40)}` } },
    { name: "no digest", entry: { path: "a", size: 1 } },
    { name: "the content", entry: { path: "a", size: 1, digest, content: "x" } },
    { name: "no object", entry: "a" },
  ])("cannot have $name", ({ entry }) => {
    expect(refusalOf(() => parseCatalog([{ ...skill, files: [entry] }]))?.path).toMatch(/^\[0\]\.files\[0\]/);
  });

  test("are at most 50 of a skill and 8 MiB of a catalog", () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ path: `f${index}`, size: 1, digest }));
    expect(refusalOf(() => parseCatalog([{ ...skill, files: many }]))?.fault).toBe("items");
    const large = Array.from({ length: 9 }, (_, index) => ({ path: `f${index}`, size: mebibyte, digest }));
    expect(refusalOf(() => parseCatalog([{ ...skill, files: large }]))?.fault).toBe("filesSize");
    expect(refusalOf(() => parseCatalog([{ ...skill, files: large.slice(1) }]))).toBeUndefined();
  });
});
