import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { textsPlugin } from "./compile-texts.ts";
import { componentStylesPlugin } from "./component-styles.ts";
import { themeVariablesPlugin } from "./theme-variables.ts";

/** The browsers of the last two and a half years; esbuild writes their JavaScript and needs no plug-in for it. */
const target = ["chrome121", "edge121", "firefox122", "safari17.4"];

/** Parts of most screens, and the library's components they use. */
const shared = [
  /\/src\/parts\/[\w-]+\.tsx?$/,
  /\/@mantine\/core\/esm\/.*\/(?:Check\w+|Group|InlineInput\w*|SegmentedControl|Switch\w*|Text|Textarea)\.(?:module\.)?mjs$/,
  /\/@mantine\/hooks\/esm\/use-(?:uncontrolled|debounced-value|clipboard)\//,
];

export default defineConfig({
  base: "/admin/",
  esbuild: { jsx: "automatic" },
  plugins: [textsPlugin(), componentStylesPlugin(), themeVariablesPlugin()],
  json: { namedExports: false },
  resolve: {
    alias: { "@locales": fileURLToPath(new URL("../locales", import.meta.url)) },
  },
  build: {
    target,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      output: {
        // One file beside the entry instead of twenty per screen; modules that load on demand stay separate.
        manualChunks: (id, { getModuleInfo }) => {
          const isShared = shared.some((pattern) => pattern.test(id));
          return isShared && getModuleInfo(id)?.dynamicImporters.length === 0 ? "parts" : undefined;
        },
        onlyExplicitManualChunks: true,
      },
      onwarn(warning, warn) {
        // "use client" is for servers that render; there is none.
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
});
