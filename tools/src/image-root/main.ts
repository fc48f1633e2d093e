/**
 * Builds the folder that an image contains. The Dockerfiles call this, and so do the tests, which have no Docker.
 *
 *     node tools/image-root.mjs server|proxy|contracts FOLDER
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ReadableError, reportFailure } from "../readable-error.js";
import { buildImageRoot } from "./build-image-root.js";
import { type ImageName, images } from "./images.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

try {
  const [name = "", folder, ...more] = process.argv.slice(2);
  if (!isImageName(name) || folder === undefined || more.length > 0) {
    throw new ReadableError(`Usage: node tools/image-root.mjs ${Object.keys(images).join("|")} FOLDER`);
  }
  const target = resolve(folder);
  buildImageRoot({ repository, image: images[name], target });
  process.stdout.write(`${target} contains the ${name}.\n`);
} catch (error) {
  reportFailure(error);
}

function isImageName(name: string): name is ImageName {
  return Object.hasOwn(images, name);
}
