/** What both bundles of the command have in common: the parts of libraries that nothing here uses, and the licences. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));

/** Leaves out what libraries bring for others. */
export const withoutUnused = {
  name: "without-unused",
  setup({ onResolve, onLoad }) {
    // What validates the forms that an MCP server asks a person to fill in. Ours asks for nothing.
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: "shims",
      namespace: "no-forms",
    }));
    onLoad({ filter: /.*/, namespace: "no-forms" }, () => ({
      contents:
        "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
    }));
    // Commander loads it to start commands that are programs of their own. We have none.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: "child_process", namespace: "empty" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "" }));
  },
};

/** The licences of the packages whose code is part of a bundle, given the files that went into it. */
export function licenses(inputs) {
  const packages = new Set(
    inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean),
  );
  const texts = [...packages].map((path) => {
    const root = join(here, path);
    const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file.`);
    return `${name} ${version}\n\n${readFileSync(join(root, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}
