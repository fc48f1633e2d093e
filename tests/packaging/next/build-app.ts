import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContractApp } from "@authz/contract-tests";
import { createTestIssuer } from "@authz/testing";
import { build } from "esbuild";
import { createContractApp } from "../../../packages/next/test/contract-app.js";
import { type PackedPackage, run } from "../pack.js";
import { writeDescription } from "../runtimes/service-description.js";

/** The program of Next.js in an application. */
export const nextProgram = "node_modules/next/dist/bin/next";

/** No questions about a newer version, and none to anybody else. */
export const quiet: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
};

/** The newest release of Next.js that was tried. */
export const newestNext = "16.4.6";

/** Installs one version of Next.js from the registry into a folder of its own, which is returned. */
export async function installNext(parent: string, version: string): Promise<string> {
  const directory = await mkdtemp(join(parent, `next-${version}-`));
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  await npmInstall(directory, [`next@${version}`, "react@19", "react-dom@19"]);
  return directory;
}

/** Writes the application of the contract tests as files, with the packed packages. */
export async function writeApp(directory: string, packages: readonly PackedPackage[]): Promise<void> {
  await npmInstall(
    directory,
    packages.map(({ tarball }) => tarball),
  );
  await build({
    entryPoints: [join(import.meta.dirname, "contract.ts")],
    outfile: join(directory, "lib/contract.js"),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
  for (const [path, content] of Object.entries(filesOf(createContractApp(await anyContract()).routes))) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

/** Builds it for production. Next.js loads every route then, so there has to be a configuration as well. */
export async function buildApp(directory: string, basePath = ""): Promise<void> {
  const description = await writeDescription(await anyContract(), "http://127.0.0.1:1");
  const environment = { ...quiet, AUTHZ_CONTRACT: description, AUTHZ_BASE_PATH: basePath };
  await run(process.execPath, [nextProgram, "build"], directory, environment);
}

async function anyContract(): Promise<ContractApp> {
  const supportedScopes = ["contracts:read", "contracts:write", "contracts:delete"];
  const { url, options } = await createTestIssuer({ supportedScopes });
  return {
    issuer: url,
    options,
    bodyParsers: false,
    guardEverything: false,
    entered: () => {},
    need: () => undefined,
  };
}

/** One build with a base path beside one without. */
const configuration = `
const basePath = process.env["AUTHZ_BASE_PATH"] ?? "";
export default {
  basePath,
  distDir: basePath === "" ? ".next" : ".next-below",
  rewrites: () => [{ source: "/public/:path*", destination: "/api/:path*" }],
};
`;

/** A guarded route of which the application says that it is the same for everybody. */
const forced = `
import { handlersOf } from "../../lib/contract";
export const dynamic = "force-static";
export const { GET } = handlersOf("api/me");
`;

/** Every file of the application by its path. */
function filesOf(routes: Readonly<Record<string, object>>): Readonly<Record<string, string>> {
  const files: Record<string, string> = {
    "proxy.js":
      'export { proxy } from "./lib/contract";\nexport const config = { matcher: "/((?!_next/).*)" };\n',
    "next.config.js": configuration,
    "app/forced/route.js": forced,
    "instrumentation.js": 'export { endWithInput as register } from "./lib/contract";\n',
  };
  for (const [folder, module] of Object.entries(routes)) {
    const up = "../".repeat(folder.split("/").length + 1);
    files[`app/${folder}/route.js`] = [
      `import { handlersOf } from "${up}lib/contract";`,
      `export const { ${Object.keys(module).join(", ")} } = handlersOf(${JSON.stringify(folder)});`,
    ].join("\n");
  }
  return files;
}

async function npmInstall(directory: string, packages: readonly string[]): Promise<void> {
  const patience = ["--fetch-retries=1", "--fetch-timeout=30000"];
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", ...patience];
  await run("npm", ["install", ...options, ...packages], directory);
}
