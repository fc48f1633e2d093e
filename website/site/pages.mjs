/**
 * Maps documents of the repository to paths of the site. Imports only Node's modules, because tests use it without the site's
 * packages.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, with a trailing slash. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Files that are no page of the site are linked here. */
export const repository = "https://github.com/authz/authz";

/** Written by TypeDoc before the site is built; not in git. */
const generatedFolder = "website/sdk";

const rules = [
  [/^docs\/README\.md$/, () => "index.md"],
  [/^docs\/(.+\/)README\.md$/, ([, folder]) => `${folder}index.md`],
  [/^docs\/(.+)$/, ([, path]) => path],
  [/^packages\/([\w-]+)\/README\.md$/, ([, name]) => `packages/${name}.md`],
  [/^examples\/([\w-]+)\/README\.md$/, ([, name]) => `examples/${name}.md`],
  [/^proxy\/README\.md$/, () => "operate/proxy-program.md"],
  [/^website\/sdk\/(.+)$/, ([, path]) => `reference/sdk/${path}`],
  [/^plugins\/README\.md$/, () => "hosts/plugins.md"],
  [/^install\.md$/, () => "hosts/install.md"],
  [/^(CONTRIBUTING|SECURITY)\.md$/, ([, name]) => `${name.toLowerCase()}.md`],
];

/** The path of a document on the site, such as `hosts/index.md`, or `undefined`. */
export function sitePath(document) {
  for (const [pattern, path] of rules) {
    const match = pattern.exec(document);
    if (match !== null) return path(match);
  }
  return undefined;
}

/** All tracked and untracked Markdown documents, relative to the root. */
export function listDocuments() {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"];
  const paths = execFileSync("git", options, { cwd: root }).toString().split("\0");
  return paths.filter((path) => path !== "" && existsSync(join(root, path)));
}

/** All documents that are pages, with generated ones if they exist. */
export function listPages() {
  const folder = join(root, generatedFolder);
  const generated = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  const pages = generated
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join(generatedFolder, String(name)));
  return [...listDocuments(), ...pages].filter((path) => sitePath(path)?.endsWith(".md"));
}

/** Reads a document by its path from the root. */
export function readDocument(path) {
  return readFileSync(join(root, path), "utf8");
}

/** The first heading of a page, without markup. */
export function titleOf(markdown) {
  const [, heading = ""] = /^# (.+)$/m.exec(markdown) ?? [];
  return plain(heading);
}

/** The first paragraph of a page, as one line without markup. */
export function summaryOf(markdown) {
  const body = markdown.replace(/^---\n[^]*?\n---\n/, "").replace(/^[^]*?^# .+$/m, "");
  const first = body
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => block !== "" && !/^(?:[#|<>~!:-]|```|\d+\.)/.test(block));
  return plain((first ?? "").replaceAll("\n", " "));
}

function plain(text) {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/<(https?:[^>]+)>/g, "$1");
}

/** The anchor of a heading, on code hosts and on the site. */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Resolves a link of a document: pages to `/path.md#anchor`, other files to the repository, addresses with a scheme to
 * themselves.
 *
 * @throws {Error} The target does not exist.
 */
export function resolveLink(from, target) {
  if (/^[a-z][a-z\d+.-]*:/i.test(target) || target.startsWith("//")) return target;
  if (target.startsWith("#")) return target;
  const [file, anchor] = target.split("#");
  const path = posix.normalize(posix.join(dirname(from), decodeURI(file))).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  // The repository's README has sections that the site's front page lacks.
  if (path === "README.md" || path === ".")
    return hash === "" ? "/index.md" : `${repository}/blob/main/README.md${hash}`;
  const there = statSync(join(root, path), { throwIfNoEntry: false });
  if (there === undefined) throw new Error(`${from} links to ${target}, which does not exist.`);
  const readme = there.isDirectory() ? `${path}/README.md` : path;
  const page = existsSync(join(root, readme)) ? sitePath(readme) : undefined;
  if (page !== undefined && /\.(?:md|svg|png|json)$/.test(page)) return `/${page}${hash}`;
  return `${repository}/${there.isDirectory() ? "tree" : "blob"}/main/${path}${hash}`;
}
