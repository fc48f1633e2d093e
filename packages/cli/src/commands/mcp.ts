import type { CommandTree } from "./command.js";

/** `authz mcp`. What it loads is larger than all other commands together, so help does not. */
export function addMcp({ add, action }: CommandTree): void {
  add("mcp", "Serve an agent over MCP (standard input and output).", ["authz mcp"]).action(
    action(async (context) => await (await import("./mcp/serve.js")).serve(context)),
  );
}
