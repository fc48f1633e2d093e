import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeAuthorizedRequests } from "../../packages/contract-tests/src/adapter/authorized-requests.js";
import { signed, withFixture } from "../../packages/contract-tests/src/adapter/fixture.js";
import { refusalRows } from "../../packages/contract-tests/src/adapter/protected-requests.js";
import { describePublishedRoutes } from "../../packages/contract-tests/src/adapter/published-routes.js";
import {
  invalidProof,
  ofOpenRoute,
  unauthorized,
  visible,
} from "../../packages/contract-tests/src/adapter/refusals.js";
import { describeTokenRoute } from "../../packages/contract-tests/src/adapter/token-route.js";
import { buildApp, installNext, newestNext, writeApp } from "./next/build-app.js";
import { startOnNext } from "./next/start-on-next.js";
import { type PackedPackage, packPackages } from "./pack.js";

/** The newest release, and the oldest that the package says it works with. */
const versions = [newestNext, "16.0.0"];

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
  (version, directory) => {
    beforeAll(async () => {
      await writeApp(directory, packages);
      await buildApp(directory);
    });
    const start = startOnNext(directory);

    describe("refuses, without entering the handler,", () => {
      const fixture = withFixture(start);
      it.each(refusalRows)("$name", async ({ change, refusal }) => {
        expect(visible(await fixture().send(await change(fixture())))).toEqual(refusal);
        expect(fixture().takeEntered()).toEqual([]);
      });

      it("all callers, where the application has forced the route to be static", async () => {
        const request = await signed(fixture(), { ...read, url: "/forced" });
        expect(visible(await fixture().send(request))).toEqual(ofOpenRoute(unauthorized));
        expect(fixture().takeEntered()).toEqual([]);
      });
    });
    describeAuthorizedRequests(start, { redirectsOddTargets: true });
    describe("behind a rewrite", () => {
      const fixture = withFixture(start);

      it("takes a proof for the address that the client asked for", async () => {
        const request = await signed(fixture(), { ...read, url: "/public/contracts" });
        expect((await fixture().send(request)).status).toBe(200);
        const { headers = [] } = await signed(fixture(), read);
        expect((await fixture().send({ target: "/public/contracts", headers })).status).toBe(401);
      });
    });
    if (version !== newestNext) return;
    describePublishedRoutes(start);
    describeTokenRoute(start);

    describe("with a proxy in front of everything", () => {
      const fixture = withFixture(start, { guardEverything: true });

      it.each(refusalRows)("still refuses $name", async ({ change, refusal }) => {
        const { status, body } = visible(await fixture().send(await change(fixture())));
        expect({ status, body }).toEqual({ status: refusal.status, body: refusal.body });
        expect(fixture().takeEntered()).toEqual([]);
      });

      it("uses a proof up once: the first request passes proxy and guard, the second does not", async () => {
        const request = await signed(fixture(), read);
        expect((await fixture().send(request)).status).toBe(200);
        expect(visible(await fixture().send(request))).toEqual(invalidProof);
        expect(fixture().takeEntered()).toEqual([read.url]);
      });

      it("leaves to guards that a proof is good for one use", async () => {
        const request = await signed(fixture(), { ...read, url: "/open" });
        expect((await fixture().send(request)).status).toBe(200);
        expect((await fixture().send(request)).status).toBe(200);
      });

      it.each(["http://evil.example/api/contracts", "//evil.example/api/contracts"])(
        "never enters a handler for the target %s, which Next.js redirects",
        async (target) => {
          const answer = await fixture().send({ ...(await signed(fixture(), read)), target });
          expect(answer.status).toBe(308);
          expect(fixture().takeEntered()).toEqual([]);
        },
      );
    });

    describe.each([{ guardEverything: false }, { guardEverything: true }])(
      "below a base path, %o",
      (variation) => {
        beforeAll(() => buildApp(directory, "/docs"));
        const fixture = withFixture(startOnNext(directory, "/docs"), variation);

        it("takes a proof for the whole address, once", async () => {
          const request = await signed(fixture(), { ...read, url: `/docs${read.url}?q=1` });
          expect((await fixture().send(request)).status).toBe(200);
          expect(visible(await fixture().send(request))).toEqual(invalidProof);
        });

        it("refuses a proof for the part that the handler sees", async () => {
          const { headers = [] } = await signed(fixture(), read);
          const refused = visible(await fixture().send({ target: `/docs${read.url}`, headers }));
          expect({ status: refused.status, body: refused.body }).toEqual({
            status: 401,
            body: invalidProof.body,
          });
        });

        it("publishes its documents below it, for a server in front that sends requests there", async () => {
          expect(
            (await fixture().send({ target: "/docs/.well-known/oauth-protected-resource" })).status,
          ).toBe(200);
        });
      },
    );
  },
);

const read = { url: "/api/contracts", scopes: ["contracts:read"] };
