import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const notOurs = new Set(["node_modules", "dist", ".git", ".authz-dev", "coverage"]);
const documents = documentsBelow("");

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

function documentsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return documentsBelow(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

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
