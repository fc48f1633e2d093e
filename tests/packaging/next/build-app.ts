import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestIssuer } from "@authz/testing";
import { build } from "esbuild";
import { createContractApp } from "../../../packages/next/test/contract-app.js";
import { type PackedPackage, run } from "../pack.js";
import { describeContract } from "../runtimes/describe-contract.js";

/** The program of Next.js in an application. */
export const nextProgram = "node_modules/next/dist/bin/next";

/** No questions about a newer version, and none to anybody else. */
export const quiet: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
};

/** Installs one version of Next.js from the registry into a folder of its own, which is returned. */
export async function installNext(parent: string, version: string): Promise<string> {
  const directory = await mkdtemp(join(parent, `next-${version}-`));
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  await npmInstall(directory, [`next@${version}`, "react@19", "react-dom@19"]);
  return directory;
}

/** Writes the application of the contract tests as files, with the packed packages, and builds it for production. */
export async function buildApp(directory: string, packages: readonly PackedPackage[]): Promise<void> {
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
  const issuer = await createTestIssuer({
    supportedScopes: ["contracts:read", "contracts:write", "contracts:delete"],
  });
  const contract = {
    issuer: issuer.url,
    options: issuer.options,
    bodyParsers: false,
    guardEverything: false,
    entered: () => {},
  };
  for (const [path, content] of Object.entries(filesOf(createContractApp(contract).routes))) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  // Next.js loads every route when it builds, so there has to be a configuration then as well.
  const description = await describeContract(contract, "http://127.0.0.1:1");
  const environment = { ...quiet, AUTHZ_CONTRACT: JSON.stringify(description) };
  await run(process.execPath, [nextProgram, "build"], directory, environment);
  await issuer.close();
}

/** Every file of the application by its path. */
function filesOf(routes: Readonly<Record<string, object>>): Readonly<Record<string, string>> {
  const files: Record<string, string> = {
    "proxy.js":
      'export { proxy } from "./lib/contract";\nexport const config = { matcher: "/((?!_next/).*)" };\n',
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
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...options, ...packages], directory);
}
