/** `npm run plugins`: writes the plugins for agent hosts, their marketplaces and install.md, and takes away what is not among them. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pluginFiles } from "./plugins/plugin-files.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = pluginFiles();

for (const entry of readdirSync(join(root, "plugins"), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !files.has(path.slice(root.length).replaceAll("\\", "/"))) rmSync(path);
}
for (const [path, content] of files) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
process.stdout.write(`${String(files.size)} files\n`);
