import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** What only pages of a server say: tests/test_viewer.py makes sure that nothing here asks for it. */
const ELSEWHERE = "account|explorer|friendly|ladder|people|season|seasons|store|team|teams";
const TEXT = new RegExp(`^ {2}"(?:${ELSEWHERE})\\.[^"]*":\\s+"(?:[^"\\\\]|\\\\.)*",\\r?\\n`, "gm");

/** Leaves those texts out, so that every page that is taken along is smaller. */
const fewerTexts = {
  name: "fewer-texts",
  enforce: "pre",
  transform: (code, file) =>
    /\/model\/texts\/\w+\.ts$/.test(file) ? code.replace(TEXT, "") : null,
};

// One script and one style sheet, to be put into pages that work without a server.
export default defineConfig({
  plugins: [fewerTexts, svelte()],
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
