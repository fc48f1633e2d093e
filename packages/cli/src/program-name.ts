/**
 * How the person types this program. `npx` and its like put it into a folder of their own that is on nobody's path, so that `authz` alone
 * would not be found.
 *
 * @param script The path that Node was started with.
 */
export function programName(script: string): string {
  const path = script.replaceAll("\\", "/");
  if (path.includes("/_npx/")) return "npx @authz/cli";
  if (/\/dlx-?[^/]*\//.test(path)) return "pnpm dlx @authz/cli";
  if (/\/bunx-[^/]*\//.test(path)) return "bunx @authz/cli";
  // Installed beside a project. By the package's full name: whoever has neither must not get somebody else's program.
  return path.includes("/node_modules/.bin/") ? "npx @authz/cli" : "authz";
}

/** How a newer version is had, by whoever types the program like this. */
export function updateCommand(program: string): string {
  return program === "authz" ? "npm install --global @authz/cli" : `${program}@latest`;
}
