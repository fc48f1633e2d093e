import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Checks every internal link of the built pages, including its anchor.
 *
 * @returns the number of links
 * @throws {Error} Links are dead; the message lists them.
 */
export function checkSite(out, base) {
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".html"),
  );
  const pages = new Map(files.map((name) => [name, readFileSync(join(out, name), "utf8")]));
  const anchors = new Map(
    [...pages].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const dead = new Set();
  let count = 0;
  for (const [name, html] of pages) {
    for (const [, address] of html.matchAll(/<a\b[^>]*\shref="([^"]+)"/g)) {
      if (/^[a-z][a-z\d+.-]*:/i.test(address)) continue;
      count += 1;
      if (!exists(name, address.replaceAll("&amp;", "&"))) dead.add([name, address].join(": "));
    }
  }
  if (dead.size > 0) throw new Error(`Dead links:\n${[...dead].join("\n")}`);
  return count;

  function exists(from, address) {
    const { pathname, hash } = new URL(address, `http://site${base}${from}`);
    if (!pathname.startsWith(base)) return false;
    const below = decodeURI(pathname.slice(base.length));
    const path = below === "" || below.endsWith("/") ? posix.join(below, "index.html") : below;
    if (!existsSync(join(out, path)) || !statSync(join(out, path)).isFile()) return false;
    return hash === "" || (anchors.get(path)?.has(decodeURIComponent(hash.slice(1))) ?? true);
  }
}
