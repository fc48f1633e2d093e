/** Variables, tags and paths in the operator's pages exist. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Documents that describe variables. */
const described = [
  "docs/reference/configuration.md",
  "docs/reference/log-codes.md",
  "proxy/README.md",
  "compose.yaml",
]
  .map(read)
  .join("\n");

const pages = [
  ...readdirSync(join(root, "docs/operate")).map((file) => `docs/operate/${file}`),
  "deploy/helm/authz/README.md",
  "proxy/README.md",
].filter((path) => path.endsWith(".md"));

describe.each(pages)("%s", (path) => {
  const text = read(path);
  const blocks = [...text.matchAll(/^ *```(\w+)\n([^]*?)^ *```/gm)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));

  it("names variables that are described", () => {
    const names = new Set(text.match(/\b(?:AUTHZ|AUTH|POSTGRES)_[A-Z_]*[A-Z]\b/g));
    expect([...names].filter((name) => !described.includes(name))).toEqual([]);
  });

  it("never recommends a moving tag", () => {
    const tags = blocks.flatMap(({ code }) => [
      ...code.matchAll(/authz-(?:server|discovery-proxy):([\w.-]+)/g),
    ]);
    expect(tags.map(([, tag]) => tag).filter((tag) => tag !== "X.Y.Z" && tag !== "local")).toEqual([]);
  });
});

describe("the systemd units", () => {
  it.each(["authz-server", "authz-discovery-proxy"])("run %s where docs/operate/vm.md puts it", (name) => {
    const unit = read(`deploy/systemd/${name}.service`);
    expect(unit).toContain(`ExecStart=/opt/${name}/bin/${name}\n`);
    expect(unit).toContain(`EnvironmentFile=/etc/${name}.env\n`);
    expect(read("docs/operate/vm.md")).toContain(`/opt/${name}`);
    expect(unit).toMatch(/^DynamicUser=yes$/m);
    expect(unit).toMatch(/^MemoryMax=\d+M$/m);
  });
});
