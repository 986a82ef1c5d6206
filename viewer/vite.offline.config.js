import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** The texts of the page that is taken along: tests/test_viewer.py makes sure that it asks for no other. */
const HERE = "authority|board|grade|moves|offline|receipt|replay|step|theme|tray";
const TEXT = new RegExp(
  `^ {2}"(?!(?:${HERE})\\.)[\\w-]+\\.[^"]*":\\s+"(?:[^"\\\\]|\\\\.)*",\\r?\\n`,
  "gm",
);

/** Leaves the others out, so that every page that is taken along is smaller. */
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
