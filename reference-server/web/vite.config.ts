import { defineConfig } from "vite";

/** The browsers of the last two and a half years; esbuild writes their JavaScript, so no plug-in is needed. */
const target = ["chrome121", "edge121", "firefox122", "safari17.4"];

export default defineConfig({
  base: "/admin/",
  esbuild: { jsx: "automatic" },
  build: {
    target,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      onwarn(warning, warn) {
        // "use client" is for servers that render; there is none.
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
});
