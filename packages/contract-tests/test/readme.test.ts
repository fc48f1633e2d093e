import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { Server } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { afterAll, describe, expect, it, vi } from "vitest";
import { findCodeBlocks, fragmentContexts } from "./readme/code-blocks.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

const packagesDirectory = join(import.meta.dirname, "../..");
const root = join(packagesDirectory, "..");
/** Inside the repository, so that imports resolve as in a package; git ignores it. */
const workDirectory = join(import.meta.dirname, "../dist/readme");

await rm(workDirectory, { recursive: true, force: true });
for (const path of await documentPaths()) await extract(path);

describe("The code in the documentation", () => {
  it("compiles", async () => {
    const configuration = {
      extends: join(root, "tsconfig.test.json"),
      compilerOptions: {
        noUnusedLocals: false,
        // As create-next-app writes it.
        paths: { "@/*": ["./packages/next/README.md/*.ts"] },
      },
      include: ["**/*.ts", "**/*.mts"],
    };
    await writeFile(join(workDirectory, "tsconfig.json"), JSON.stringify(configuration));
    const compiler = join(root, "node_modules/.bin/tsc");
    const { stdout } = await promisify(execFile)(compiler, ["-p", workDirectory]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });
});

describe.each(["express", "koa", "fastify", "hono"])("The quickstart of @authz/%s", (name) => {
  const listen = vi.spyOn(Server.prototype, "listen");
  const { Request, Response } = globalThis;
  afterAll(() => {
    for (const server of listen.mock.contexts as Server[]) server.close();
    listen.mockRestore();
    // Hono's server for Node.js replaces them, for other tests of this process as well.
    Object.defineProperties(globalThis, { Request: { value: Request }, Response: { value: Response } });
  });

  it("starts, refuses as its README says, and serves an authorized request", async () => {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    const issuer = await createTestIssuer({
      supportedScopes: ["contracts:read"],
      publicOrigin: origin,
      listen: true,
    });
    await run(name, { "http://127.0.0.1:3000": issuer.url, "4000": String(port) });

    const refused = await fetch(`${origin}/api/contracts`);
    expect(refused.status).toBe(401);
    const readme = await readFile(join(packagesDirectory, name, "README.md"), "utf8");
    expect(readme).toContain(`$ curl http://127.0.0.1:4000/api/contracts\n${await refused.text()}\n`);

    const signer = createProofSigner(await generateEs256KeyPair());
    const assertion = issuer.issueAssertion({ subject: "ada", thumbprint: signer.thumbprint });
    const exchanged = await fetch(`${origin}/oauth/token`, {
      method: "POST",
      headers: { dpop: signer.sign({ method: "POST", url: `${origin}/oauth/token` }) },
      body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
    });
    const { access_token: accessToken } = (await exchanged.json()) as { access_token: string };
    const answer = await fetch(`${origin}/api/contracts`, {
      headers: {
        authorization: `DPoP ${accessToken}`,
        dpop: signer.sign({ method: "GET", url: `${origin}/api/contracts`, accessToken }),
      },
    });
    expect(await answer.json()).toEqual({ requested_by: "ada", contracts: [] });
    await issuer.close();
  });
});

describe("The service of docs/tutorials/protect-an-api.md", () => {
  const listen = vi.spyOn(Server.prototype, "listen");
  afterAll(() => {
    for (const server of listen.mock.contexts as Server[]) server.close();
    listen.mockRestore();
  });

  it("starts, and refuses as the page says", async () => {
    const page = await readFile(join(root, "docs/tutorials/protect-an-api.md"), "utf8");
    const [, code = ""] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
    const port = String(await findFreePort());
    const origin = `http://127.0.0.1:${port}`;
    const issuer = await createTestIssuer({
      supportedScopes: ["contracts:read"],
      publicOrigin: origin,
      listen: true,
    });
    const folder = join(workDirectory, "docs/tutorials/protect-an-api.md");
    await mkdir(folder, { recursive: true });
    const file = join(folder, "server.mjs");
    await writeFile(file, code.replaceAll("http://127.0.0.1:3000", issuer.url).replaceAll("3201", port));
    await import(file);

    const refused = await fetch(`${origin}/api/contracts`);
    const challenge = refused.headers.get("www-authenticate")?.replaceAll(port, "3201");
    expect(page).toContain(
      `HTTP/1.1 401 Unauthorized\nwww-authenticate: ${challenge}\n\n${await refused.text()}\n`,
    );
    await issuer.close();
  });
});

describe("The unit test in the README of @authz/testing", async () => {
  await import(join(workDirectory, "packages/testing/README.md/app.test.ts"));
});

/** The front page, everything in `docs`, and the README of every package and example. */
async function documentPaths(): Promise<string[]> {
  const documents = await readdir(join(root, "docs"), { recursive: true });
  const packages = await readdir(packagesDirectory);
  const examples = await readdir(join(root, "examples"));
  const folders = [
    ...packages.map((name) => `packages/${name}`),
    ...examples.map((name) => `examples/${name}`),
  ];
  const paths = [
    "README.md",
    ...documents.map((path) => `docs/${path}`),
    ...folders.map((path) => `${path}/README.md`),
  ];
  return paths.filter((path) => path.endsWith(".md") && existsSync(join(root, path)));
}

/** Writes the TypeScript blocks of one document into a folder of their own. */
async function extract(path: string): Promise<void> {
  const markdown = await readFile(join(root, path), "utf8");
  const directory = join(workDirectory, path);
  for (const { fileName, isFragment, code } of findCodeBlocks(markdown)) {
    const file = join(directory, fileName);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, isFragment ? `${fragmentContexts[path] ?? ""}${code}` : code);
  }
}

/** Runs a quickstart with other addresses than those in the document. */
async function run(name: string, replacements: Readonly<Record<string, string>>): Promise<void> {
  const directory = join(workDirectory, "packages", name, "README.md");
  let code = await readFile(join(directory, "server.mts"), "utf8");
  for (const [from, to] of Object.entries(replacements)) code = code.replaceAll(from, to);
  const file = join(directory, "server-under-test.mts");
  await writeFile(file, code);
  await import(file);
}

/** A port that was free a moment ago, for code that has to know its own address before it listens. */
