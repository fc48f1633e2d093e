import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listDocuments, readDocument, root } from "./markdown.js";

const documents = listDocuments();

describe.each(documents)("%s", (path) => {
  const text = withoutCode(readDocument(path));

  test("links to files and headings that exist", () => {
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !resolves(path, target));
    expect(broken).toEqual([]);
  });
});

test("every decision is in the list of decisions", () => {
  const listed = readDocument("docs/adr/README.md");
  const decisions = documents.filter((path) => /^docs\/adr\/\d/.test(path));
  expect(decisions.filter((path) => !listed.includes(`(${path.slice("docs/adr/".length)})`))).toEqual([]);
});

test("pictures exist and have an alternative text", () => {
  const wrong = documents.flatMap((path) => {
    const tags = readDocument(path).match(/<(?:img|source)\b[^>]*>/g) ?? [];
    return tags.filter((tag) => {
      const [, file = ""] = /\bsrc(?:set)?="([^"]+)"/.exec(tag) ?? [];
      const lacksText = tag.startsWith("<img") && !/\balt="[^"]+"/.test(tag);
      return lacksText || !existsSync(join(root, dirname(path), file));
    });
  });
  expect(wrong).toEqual([]);
});

test("the pictures of the console are small", () => {
  const folder = join(root, "docs/assets/console");
  const sizes = readdirSync(folder)
    .filter((file) => file.endsWith(".png"))
    .map((file) => ({ file, bytes: statSync(join(folder, file)).size }));
  expect(sizes.filter(({ bytes }) => bytes > 150_000)).toEqual([]);
  expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(4_200_000);
});

function resolves(from: string, target: string): boolean {
  const [file = "", heading] = target.split("#");
  const path = file === "" ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return heading === undefined || !path.endsWith(".md") || headings(path).has(heading);
}

/** The anchors that code hosts generate from a document's headings. */
function headings(path: string): ReadonlySet<string> {
  const lines = withoutCode(readDocument(path)).match(/^#{1,6} .*$/gm) ?? [];
  return new Set(
    lines.map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links and headings in code blocks do not count. */
function withoutCode(text: string): string {
  return text.replaceAll(/^(```|~~~)[^]*?^\1/gm, "");
}
