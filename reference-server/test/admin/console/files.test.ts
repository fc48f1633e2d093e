import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { acceptedEncodings, createConsoleFiles } from "../../../src/admin/console/files.js";

const folder = mkdtempSync(join(tmpdir(), "authz-console-"));
mkdirSync(join(folder, "dist/assets"), { recursive: true });
writeFileSync(join(folder, "secret.js"), "secret");
writeFileSync(join(folder, "dist/assets/index-1a.js"), "plain");
writeFileSync(join(folder, "dist/assets/index-1a.js.br"), "brotli");
writeFileSync(join(folder, "dist/assets/small-2b.css"), "plain");
const files = createConsoleFiles(pathToFileURL(join(folder, "dist/")));

describe("the files of the console", () => {
  test("are served in the best encoding that the build has and the browser accepts", async () => {
    const found = await files.find("assets/index-1a.js", ["br", "gzip", "identity"]);
    expect(found).toMatchObject({ encoding: "br", type: "text/javascript; charset=utf-8" });
    expect(found?.content.toString()).toBe("brotli");
    expect(await files.find("assets/index-1a.js", ["gzip", "identity"])).toMatchObject({
      encoding: "identity",
    });
    expect(await files.find("assets/small-2b.css", ["br", "identity"])).toMatchObject({
      encoding: "identity",
    });
  });

  test.each([
    "assets/missing.js",
    "../secret.js",
    "assets/../../secret.js",
    "assets/..%2f..%2fsecret.js",
    "assets/index-1a.js.br",
    "assets/",
    ".vite/manifest.json",
    "index.html",
    "",
  ])("do not include %j", async (path) => {
    expect(await files.find(path, ["identity"])).toBeUndefined();
  });

  test("have no page before the console is built", async () => {
    expect(await files.page()).toBeUndefined();
  });
});

test.each([
  { header: undefined, encodings: ["identity"] },
  { header: "gzip, deflate, br, zstd", encodings: ["br", "gzip", "identity"] },
  { header: "gzip;q=0.5", encodings: ["gzip", "identity"] },
  { header: "br;q=0, gzip", encodings: ["gzip", "identity"] },
  { header: "BR; q=0.000", encodings: ["identity"] },
])("a browser that sends Accept-Encoding $header gets $encodings", ({ header, encodings }) => {
  expect(acceptedEncodings(header)).toEqual(encodings);
});
