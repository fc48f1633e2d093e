import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "docs/assets/console");
const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true })
    .map((path) => `docs/${String(path)}`)
    .filter((path) => path.endsWith(".md")),
];

test("documents show pictures that exist, with words for those who do not see them", () => {
  const wrong = documents.flatMap((path) => {
    const tags = readFileSync(join(root, path), "utf8").match(/<(?:img|source)\b[^>]*>/g) ?? [];
    return tags.filter((tag) => {
      const [, file = ""] = /\bsrc(?:set)?="([^"]+)"/.exec(tag) ?? [];
      const silent = tag.startsWith("<img") && !/\balt="[^"]+"/.test(tag);
      return silent || !existsSync(join(root, dirname(path), file));
    });
  });
  expect(wrong).toEqual([]);
});

test("the pictures of the console are small", () => {
  const sizes = readdirSync(folder)
    .filter((file) => file.endsWith(".png"))
    .map((file) => ({ file, bytes: statSync(join(folder, file)).size }));
  expect(sizes.filter(({ bytes }) => bytes > 150_000)).toEqual([]);
  expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(4_200_000);
});
