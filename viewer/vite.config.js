import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const arena = process.env.ARENA ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/spielleiter/web/pages",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no data: addresses
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { "/api": { target: arena, ws: true } } },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 }, // a machine may stand still
});
