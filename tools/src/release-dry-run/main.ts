/** `npm run release:dry-run`: what would be versioned, published, tagged and built. Changes nothing. */
import { fileURLToPath } from "node:url";
import { reportFailure } from "../readable-error.js";
import { planRelease } from "./plan-release.js";
import { releaseReport } from "./release-report.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

try {
  process.stdout.write(`\n${releaseReport(await planRelease(repository))}\n`);
} catch (error) {
  reportFailure(error);
}
