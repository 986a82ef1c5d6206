import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One script and one style sheet, to be put into pages that work without a server.
export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: "../src/spielleiter/web/pages/offline",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
    lib: {
      entry: "src/offline/main.ts",
      formats: ["iife"],
      name: "spielleiter",
      fileName: () => "player.js",
      cssFileName: "player",
    },
  },
  define: { "process.env.NODE_ENV": '"production"' },
});
