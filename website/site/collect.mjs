import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documentOf, navigated, navigation } from "./navigation.mjs";
import { listPages, readDocument, resolveLink, root, sitePath, summaryOf, titleOf } from "./pages.mjs";

const purpose =
  "Let an AI agent call your company's APIs with exactly its employee's permissions, and never let it see a credential.";

/** Writes every page to its path on the site, with the site's links, and the pictures. */
export function collectPages(folder) {
  rmSync(folder, { recursive: true, force: true });
  writePages(folder, "/");
}

/**
 * Writes every page as Markdown beside its HTML, the list for language models (`llms.txt`), and all pages in one file
 * (`llms-full.txt`).
 *
 * @returns the number of pages
 */
export function writeTwins(out, base) {
  const texts = writePages(out, base);
  copyFileSync(join(root, "docs/reference/openapi.json"), join(out, "reference/openapi.json"));
  writeFileSync(join(out, "llms.txt"), listed(base));
  const full = navigated().map((path) => `<!-- ${base}${sitePath(path)} -->\n\n${texts.get(path).trim()}\n`);
  writeFileSync(join(out, "llms-full.txt"), full.join("\n\n"));
  return texts.size;
}

function writePages(folder, base) {
  const texts = new Map(listPages().map((path) => [path, onSite(path, base)]));
  for (const [path, text] of texts) {
    const file = join(folder, sitePath(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  cpSync(join(root, "docs/assets"), join(folder, "assets"), {
    recursive: true,
    filter: (source) => !source.endsWith(".md"),
  });
  return texts;
}

/** A document with the site's links. Code blocks stay as they are. */
function onSite(path, base) {
  const parts = readDocument(path).split(/(^ *(?:`{3,}|~{3,})[^]*?^ *(?:`{3,}|~{3,})$)/m);
  return parts.map((part, index) => (index % 2 === 1 ? part : withSiteLinks(part, path, base))).join("");
}

function withSiteLinks(text, path, base) {
  return text.replaceAll(/\]\(([^)\s]+)\)/g, (_, target) => {
    const resolved = resolveLink(path, target);
    return `](${resolved.startsWith("/") ? `${base}${resolved.slice(1)}` : resolved})`;
  });
}

function listed(base) {
  const sections = navigation.map(({ text, groups }) => {
    const lines = groups
      .flatMap(({ pages }) => pages.map(documentOf))
      .map((path) => {
        const markdown = readDocument(path);
        return `- [${titleOf(markdown)}](${base}${sitePath(path)}): ${summaryOf(markdown)}`;
      });
    return `## ${text}\n\n${lines.join("\n")}\n`;
  });
  const everything = `Everything in one file: [llms-full.txt](${base}llms-full.txt). The admin API as OpenAPI: [openapi.json](${base}reference/openapi.json).`;
  return `# Authz\n\n> ${purpose}\n\n${everything}\n\n${sections.join("\n")}`;
}
