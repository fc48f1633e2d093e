/** `npm run release:artifacts -- --out FOLDER`: packs what is versioned but not released yet. Publishes nothing. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ReadableError, reportFailure } from "../readable-error.js";
import { packReleases } from "./pack-releases.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

try {
  const releases = await packReleases(repository, readFolder());
  const lines = releases.map(({ tag, tarball }) => `  ${tag}${tarball === null ? "" : `  ${tarball}`}\n`);
  process.stdout.write(releases.length === 0 ? "Every version is released.\n" : lines.join(""));
} catch (error) {
  reportFailure(error);
}

function readFolder(): string {
  try {
    const { values } = parseArgs({ options: { out: { type: "string" } } });
    if (values.out !== undefined) return values.out;
  } catch (error) {
    throw new ReadableError("Usage: npm run release:artifacts -- --out FOLDER", { cause: error });
  }
  throw new ReadableError("Usage: npm run release:artifacts -- --out FOLDER");
}
