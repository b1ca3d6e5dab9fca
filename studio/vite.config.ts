// The build: files with fixed names, so that the same sources always make the same bundle.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

export default defineConfig({
  base: "./",
  plugins: [licenses("preact")],
  build: {
    outDir: "../src/samrule/studio/page",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // The page is a few lines that import the module that notebooks load: no code is there twice.
      input: { page: "index.html", studio: "src/studio.tsx" },
      preserveEntrySignatures: "allow-extension",
      output: {
        entryFileNames: "[name].js",
        assetFileNames: "studio[extname]",
      },
    },
  },
});

/** Packages whose code is in the bundle ask that their license travels with it. */
function licenses(...packages: string[]): Plugin {
  return {
    name: "licenses",
    generateBundle() {
      const texts = packages.map((name) => {
        const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
        const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8");
        return `${name} ${version}\n\n${text.trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join("\n\n") });
    },
  };
}
