/**
 * Prints the references under which the image of a release is published, one per line.
 *
 *     node tools/image-tags.mjs --release authz-server@1.2.3 --commit <sha> --registry ghcr.io/acme < existing-tags.txt
 */
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { ReadableError, reportFailure } from "../readable-error.js";
import { imageTags, parseReleaseTag } from "./image-tags.js";

const usage =
  "Usage: node tools/image-tags.mjs --release <package>@X.Y.Z --commit SHA --registry HOST/ORG < TAGS\nTAGS: every tag that the image's repository has now, one per line.";

try {
  process.stdout.write(`${(await references()).join("\n")}\n`);
} catch (error) {
  reportFailure(error);
}

async function references(): Promise<string[]> {
  const { release, commit, registry } = readOptions();
  const { image, version } = parseReleaseTag(release);
  const existingTags = (await text(process.stdin)).split(/\s+/).filter((tag) => tag !== "");
  return imageTags({ version, commit, existingTags }).map((tag) => `${registry}/${image}:${tag}`);
}

function readOptions(): { release: string; commit: string; registry: string } {
  const option = { type: "string" } as const;
  try {
    const { values } = parseArgs({ options: { release: option, commit: option, registry: option } });
    const { release, commit, registry } = values;
    if (release === undefined || commit === undefined || registry === undefined)
      throw new Error("incomplete");
    return { release, commit, registry };
  } catch (error) {
    throw new ReadableError(usage, { cause: error });
  }
}
