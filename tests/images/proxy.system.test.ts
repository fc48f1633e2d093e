/** What only the image can show: the proxy runs from its folder alone, read-only and not as root. */
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
} from "../../proxy/test/support/upstream.js";
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

  it("names the variable that is missing, and exits with 1", async () => {
    const container = image.run({});
    expect(await container.exited).toBe(1);
    expect(container.output()).toContain("AUTHZ_UPSTREAM: ");
  });

  it("declares no health check, because the proxy has no health endpoint", () => {
    expect(image.dockerfile.healthCheck).toBeUndefined();
    expect(image.dockerfile.text).not.toMatch(/^HEALTHCHECK/m);
  });
});
