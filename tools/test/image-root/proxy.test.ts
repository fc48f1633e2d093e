/** The proxy's container, as the specification describes it, without Docker. */
import { mkdtempSync, rmSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  keySet,
  keySetPath,
  metadataPath,
  startUpstream,
  type TestUpstream,
} from "../../../proxy/test/support/upstream.js";
import { buildTestImage, type Container, type TestImage } from "./image.js";

const folder = mkdtempSync(join(tmpdir(), "authz-image-proxy-test-"));
const caFile = join(folder, "ca.pem");
let image: TestImage;
let upstream: TestUpstream;

beforeAll(async () => {
  image = buildTestImage("proxy");
  upstream = await startUpstream();
  writeFileSync(caFile, upstream.ca);
  chmodSync(folder, 0o755);
});

afterAll(async () => {
  image.remove();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

async function start(
  env: Readonly<Record<string, string>> = {},
): Promise<{ container: Container; origin: string }> {
  const container = image.run({
    AUTHZ_UPSTREAM: upstream.origin,
    AUTHZ_UPSTREAM_CA_FILE: caFile,
    AUTHZ_PROXY_PORT: "0",
    ...env,
  });
  const { port } = await container.until("The proxy is listening.");
  return { container, origin: `http://127.0.0.1:${String(port)}` };
}

describe("the container of the discovery proxy", () => {
  it("forwards both documents from a read-only tree, not as root, with documented variables only", async () => {
    const { container, origin } = await start();
    for (const path of [metadataPath, keySetPath]) {
      expect(await (await fetch(`${origin}${path}`)).text()).toBe(keySet);
    }
    container.kill("SIGTERM");
    expect(await container.exited).toBe(0);
  });

  it.each([
    { name: "missing", env: {} },
    { name: "empty", env: { AUTHZ_UPSTREAM: "" } },
    { name: "plain http", env: { AUTHZ_UPSTREAM: "http://auth.example.com" } },
    { name: "with a path", env: { AUTHZ_UPSTREAM: "https://auth.example.com/authz" } },
    { name: "with a query", env: { AUTHZ_UPSTREAM: "https://auth.example.com?a" } },
    { name: "with credentials", env: { AUTHZ_UPSTREAM: "https://user:secret@auth.example.com" } },
  ])(
    "With a missing or invalid value the proxy container exits at start and names the variable: $name",
    async ({ env }) => {
      const container = image.run(env);
      expect(await container.exited).toBe(1);
      expect(container.output()).toContain("AUTHZ_UPSTREAM: ");
      expect(container.output()).not.toContain("secret");
    },
  );

  it("The proxy upgrades independently; it stores nothing and its version can be switched back and forth", async () => {
    // Two versions beside each other, one after the other stopped: nothing is left behind that the next would need.
    const first = await start();
    const second = await start();
    for (const { container, origin } of [first, second]) {
      expect((await fetch(`${origin}${keySetPath}`)).status).toBe(200);
      container.kill("SIGTERM");
      expect(await container.exited).toBe(0);
    }
  });

  it("It has no health endpoint, and its image declares no health check", () => {
    expect(image.dockerfile.healthCheck).toBeUndefined();
    expect(image.dockerfile.text).not.toMatch(/^HEALTHCHECK/m);
  });
});
