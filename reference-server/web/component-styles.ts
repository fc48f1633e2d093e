import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Loads the styles of each part of the component library together with its code, so that a screen brings those of the
 * parts it uses and no others. A part names its classes in `Button.module.mjs`; its rules are in `styles/Button.layer.css`.
 */
export function componentStylesPlugin(): Plugin {
  return {
    name: "component-styles",
    transform(code, id) {
      const [, library, part] = /^(.*\/@mantine\/core)\/esm\/.*\/([^/]+)\.module\.mjs$/.exec(id) ?? [];
      if (library === undefined || part === undefined) return undefined;
      const styles = `styles/${part}.layer.css`;
      if (!existsSync(join(library, styles))) throw new Error(`${part} has no ${styles}.`);
      return { code: `import "@mantine/core/${styles}";\n${code}`, map: null };
    },
  };
}
