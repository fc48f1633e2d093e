import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeAuthorizedRequests } from "../../packages/contract-tests/src/adapter/authorized-requests.js";
import { signed } from "../../packages/contract-tests/src/adapter/fixture.js";
import { describePublishedRoutes } from "../../packages/contract-tests/src/adapter/published-routes.js";
import { refusalRows } from "../../packages/contract-tests/src/adapter/protected-requests.js";
import { invalidProof, visible } from "../../packages/contract-tests/src/adapter/refusals.js";
import { describeTokenRoute } from "../../packages/contract-tests/src/adapter/token-route.js";
import { withFixture } from "../../packages/contract-tests/src/adapter/with-fixture.js";
import { buildApp, installNext } from "./next/build-app.js";
import { startOnNext } from "./next/start-on-next.js";
import { type PackedPackage, packPackages } from "./pack.js";

/** The newest release, and the oldest that the package says it works with. */
const versions = ["16.4.6", "16.0.0"];

const parent = await mkdtemp(join(tmpdir(), "authz-next-"));
const directories = new Map<string, string>();
const missing = new Map<string, string>();
for (const version of versions) {
  await installNext(parent, version).then(
    (directory) => directories.set(version, directory),
    (error: unknown) => missing.set(version, `npm could not install it. ${String(error)}`),
  );
}
let packages: readonly PackedPackage[] = [];
beforeAll(async () => {
  if (directories.size === 0) return;
  const sdk = ["dpop", "skills", "verify", "next"].map((name) => `packages/${name}`);
  packages = await packPackages(parent, sdk);
});
afterAll(() => rm(parent, { recursive: true, force: true }));

it.for(versions)("Next.js %s is there, from npm", (version, { skip }) => {
  skip(missing.has(version), missing.get(version));
  expect(directories.has(version)).toBe(true);
});

describe.each([...directories])(
  "The packed @authz/next on Next.js %s, built for production",
  (_version, directory) => {
    beforeAll(() => buildApp(directory, packages));
    const start = startOnNext(() => directory);
    const read = { url: "/api/contracts", scopes: ["contracts:read"] };

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

    describe("with a proxy in front of a guarded route", () => {
      const fixture = withFixture(start, { guardEverything: true });

      it.each(refusalRows)("still refuses $name", async ({ change, refusal }) => {
        const { status, body } = visible(await fixture().send(await change(fixture())));
        expect({ status, body }).toEqual({ status: refusal.status, body: refusal.body });
        expect(fixture().takeEntered()).toEqual([]);
      });

      it("uses a proof up once: the first request passes both, the second none", async () => {
        const request = await signed(fixture(), read);
        expect((await fixture().send(request)).status).toBe(200);
        expect(visible(await fixture().send(request))).toEqual(invalidProof);
        expect(fixture().takeEntered()).toEqual([read.url]);
      });
    });
  },
);
