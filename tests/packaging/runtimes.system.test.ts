import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeAuthorizedRequests } from "../../packages/contract-tests/src/adapter/authorized-requests.js";
import { withFixture } from "../../packages/contract-tests/src/adapter/fixture.js";
import { refusalRows } from "../../packages/contract-tests/src/adapter/protected-requests.js";
import { describePublishedRoutes } from "../../packages/contract-tests/src/adapter/published-routes.js";
import { visible } from "../../packages/contract-tests/src/adapter/refusals.js";
import { describeTokenRoute } from "../../packages/contract-tests/src/adapter/token-route.js";
import { packPackages } from "./pack.js";
import { installRuntimes, installService, runtimes, startOn, versionOf } from "./runtimes/start-on.js";

const directory = await mkdtemp(join(tmpdir(), "authz-runtimes-"));
const missing = await installRuntimes(directory);
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeAll(async () => {
  if (missing.size === runtimes.length) return;
  const sdk = ["dpop", "skills", "verify", "hono"].map((name) => `packages/${name}`);
  await installService(directory, await packPackages(directory, sdk));
});

it.for(runtimes)("$title $version from npm starts on this machine", async (runtime, { skip }) => {
  skip(missing.has(runtime), missing.get(runtime));
  expect(await versionOf(runtime, directory)).toContain(runtime.version);
});

describe.each(runtimes.filter((runtime) => !missing.has(runtime)))(
  "The packed @authz/hono on $title $version",
  (runtime) => {
    const start = startOn(runtime, () => directory);

    describe("refuses, without entering the handler,", () => {
      const fixture = withFixture(start);
      it.each(refusalRows)("$name", async ({ change, refusal }) => {
        expect(visible(await fixture().send(await change(fixture())))).toEqual(refusal);
        expect(fixture().takeEntered()).toEqual([]);
      });
    });
    describeAuthorizedRequests(start);
    describePublishedRoutes(start);
    describeTokenRoute(start);
  },
);
