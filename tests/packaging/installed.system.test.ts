import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateEs256KeyPair } from "@authz/dpop";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ExampleProcess, startExample } from "./example-process.js";
import { type PackedPackage, packPackages, root, run, runTool } from "./pack.js";

const examples = ["contracts-express", "contracts-koa", "contracts-fastify", "node-http"];
/** What the examples install, with everything below it. */
const sdk = ["dpop", "skills", "verify", "express", "koa", "fastify", "testing"].map(
  (name) => `packages/${name}`,
);
const publicOrigin = "http://127.0.0.1:3101";

describe("The packed packages", () => {
  let directory = "";
  let issuer: TestIssuer | undefined;
  let packages: PackedPackage[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "authz-packed-"));
    packages = await packPackages(directory, sdk);
    await installExamples(directory, packages);
    const keyPair = await generateEs256KeyPair();
    const signingKey = { kid: "packed", ...keyPair };
    await writeFile(join(directory, "signing-key.json"), JSON.stringify(signingKey));
    const supportedScopes = ["contracts:read", "contracts:write"];
    issuer = await createTestIssuer({ supportedScopes, publicOrigin, signingKey, listen: true });
  });

  afterAll(async () => {
    await issuer?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("give the examples their types, from the declarations alone", async () => {
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(strangersConfiguration));
    await expect(runTool("tsc", ["-p", directory])).resolves.toBe("");
  });

  it("load with require()", async () => {
    const names = packages.map(({ name }) => name);
    const script = `console.log(${JSON.stringify(names)}.map((name) => typeof require(name)).join())`;
    const output = await run(process.execPath, ["--input-type=commonjs", "-e", script], directory);
    expect(output.trim()).toBe(names.map(() => "object").join());
  });

  it.each(examples)("run the example %s, which stops cleanly", async (name) => {
    assert(issuer);
    const example = await startExample(join(directory, name), {
      PORT: "0",
      PUBLIC_ORIGIN: publicOrigin,
      AUTHZ_ISSUER: issuer.url,
      SIGNING_KEY_FILE: join(directory, "signing-key.json"),
    });
    expect(await callExample(example, issuer)).toEqual({
      unauthenticated: 401,
      authorized: 200,
      replayed: 401,
      missingScope: 403,
      body: {
        requested_by: "ada",
        contracts: expect.arrayContaining([
          { id: "C-1001", customer: "Northwind Traders", status: "active" },
        ]),
      },
    });
    expect(await example.stop()).toBe(0);
  });

  it.each(examples)("let the example %s say why it cannot start", async (name) => {
    const started = startExample(join(directory, name), {
      SIGNING_KEY_FILE: join(directory, "missing.json"),
    });
    await expect(started).rejects.toThrow(/could not start\. .*missing\.json/);
  });

  it.each(examples)("let the example %s start while its issuer is away, and say so", async (name) => {
    const away = "http://127.0.0.1:1";
    const example = await startExample(join(directory, name), { PORT: "0", AUTHZ_ISSUER: away });
    await expect.poll(() => example.complaint()).toContain(`${away}/`);
    expect(await example.stop()).toBe(0);
  });
});

const strangersConfiguration = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  },
  include: ["*/src"],
};

/** Installs the tarballs and what the examples need besides, into a folder that knows nothing of the repository. */
async function installExamples(directory: string, packages: readonly PackedPackage[]): Promise<void> {
  const dependencies: Record<string, string> = { "@types/node": "^20" };
  for (const name of examples) {
    const folder = join(root, "examples", name);
    await runTool("tsc", ["-b", folder]);
    for (const part of ["src", "dist", "package.json"]) {
      await cp(join(folder, part), join(directory, name, part), { recursive: true });
    }
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
    Object.assign(dependencies, manifest.dependencies, manifest.devDependencies);
  }
  for (const { name, tarball } of packages) dependencies[name] = `file:${tarball}`;
  await writeFile(
    join(directory, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], directory);
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

async function callExample({ origin }: ExampleProcess, issuer: TestIssuer): Promise<object> {
  const read = { url: "/api/contracts", scopes: ["contracts:read"], subject: "ada" };
  const get = (headers: object): Promise<Response> =>
    fetch(`${origin}/api/contracts`, { headers: { ...headers } });
  const headers = await issuer.signRequest(read);
  const unauthenticated = await get({});
  const authorized = await get(headers);
  const replayed = await get(headers);
  const missingScope = await get(await issuer.defects.missingScope(read));
  return {
    unauthenticated: unauthenticated.status,
    authorized: authorized.status,
    replayed: replayed.status,
    missingScope: missingScope.status,
    body: await authorized.json(),
  };
}
