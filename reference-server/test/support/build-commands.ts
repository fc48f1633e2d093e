import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The script that runs a command of the server: `node <script> authz-server …`. */
    serverCommands: string;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const conditions = ["@authz/source", "module", "node", "production"];

/**
 * Builds the commands once for all files that start them, into a folder of their own: so the tests need no build and never see a
 * stale one.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = `${root}node_modules/.authz-test-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  await build({
    configFile: false,
    root,
    logLevel: "error",
    resolve: { conditions },
    ssr: { noExternal: [/^@authz\//], resolve: { conditions } },
    build: {
      ssr: `${root}src/main.ts`,
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rollupOptions: { output: { chunkFileNames: "[name].js" } },
    },
  });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  const script = `${folder}/run.js`;
  writeFileSync(
    script,
    `import { runMigrateCommand, runServerCommand } from "./main.js";
     const [, , command, ...args] = process.argv;
     const run = command === "authz-migrate" ? runMigrateCommand : runServerCommand;
     await run([process.argv[0], command, ...args]);`,
  );
  project.provide("serverCommands", script);
  return () => rmSync(folder, { recursive: true, force: true });
}
