import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listDocuments, root } from "./markdown.js";

const documents = listDocuments();

describe.each(documents)("%s", (path) => {
  const text = withoutCode(readFileSync(join(root, path), "utf8"));

  test("links to files and headings that exist", () => {
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !resolves(path, target));
    expect(broken).toEqual([]);
  });
});

test("every decision is in the list of decisions", () => {
  const listed = readFileSync(join(root, "docs/adr/README.md"), "utf8");
  const decisions = documents.filter((path) => /^docs\/adr\/\d/.test(path));
  expect(decisions.filter((path) => !listed.includes(`(${path.slice("docs/adr/".length)})`))).toEqual([]);
});

function resolves(from: string, target: string): boolean {
  const [file = "", heading] = target.split("#");
  const path = file === "" ? join(root, from) : join(root, dirname(from), file);
  if (!existsSync(path)) return false;
  return heading === undefined || !path.endsWith(".md") || headings(path).has(heading);
}

/** The anchors of a document, as code hosts make them of its headings. */
function headings(path: string): ReadonlySet<string> {
  const lines = withoutCode(readFileSync(path, "utf8")).match(/^#{1,6} .*$/gm) ?? [];
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

/** What stands in a code block is no link and no heading. */
function withoutCode(text: string): string {
  return text.replaceAll(/^(```|~~~)[^]*?^\1/gm, "");
}
