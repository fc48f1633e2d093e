import { commandOf, type Host, type Server, shellLine } from "./host.js";

/** `.mcp.json` of a project is what Claude Code shares among people; the command writes the person's own settings. */
export const claudeCode: Host = {
  key: "claude-code",
  name: "Claude Code",
  setup: (name, server) => ({
    command: shellLine(
      server.kind === "remote"
        ? ["claude", "mcp", "add", "--transport", "http", "--scope", "user", name, server.url]
        : ["claude", "mcp", "add", "--scope", "user", name, "--", server.command, ...server.args],
    ),
    file: {
      path: ".mcp.json",
      format: "json",
      at: ["mcpServers", name],
      entry: server.kind === "remote" ? { type: "http", url: server.url } : commandOf(server),
    },
    link: undefined,
    form: undefined,
    signIn: inShell(server, ["claude", "mcp", "login", name]),
    check: { in: "shell", line: "claude mcp list" },
  }),
};

export const codex: Host = {
  key: "codex",
  name: "Codex",
  setup: (name, server) => ({
    command: shellLine(
      server.kind === "remote"
        ? ["codex", "mcp", "add", name, "--url", server.url]
        : ["codex", "mcp", "add", name, "--", server.command, ...server.args],
    ),
    file: {
      path: "~/.codex/config.toml",
      format: "toml",
      at: ["mcp_servers", name],
      entry: server.kind === "remote" ? { url: server.url } : commandOf(server),
    },
    link: undefined,
    form: undefined,
    signIn: inShell(server, ["codex", "mcp", "login", name]),
    check: { in: "shell", line: "codex mcp list" },
  }),
};

/** Cursor derives the transport from `url` or `command`. */
export const cursor: Host = {
  key: "cursor",
  name: "Cursor",
  setup: (name, server) => {
    const entry = server.kind === "remote" ? { url: server.url } : commandOf(server);
    const config = encodeURIComponent(toBase64(JSON.stringify(entry)));
    return {
      command: undefined,
      file: { path: "~/.cursor/mcp.json", format: "json", at: ["mcpServers", name], entry },
      link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`,
      form: undefined,
      signIn: server.kind === "remote" ? { in: "menu", line: "Settings → Tools & MCP → Connect" } : undefined,
      check: { in: "menu", line: "Settings → Tools & MCP" },
    };
  },
};

/** One file for a project; the command and the link write the person's own settings. */
export const vsCode: Host = {
  key: "vscode",
  name: "VS Code",
  setup: (name, server) => {
    const entry =
      server.kind === "remote" ? { type: "http", url: server.url } : { type: "stdio", ...commandOf(server) };
    const named = JSON.stringify({ name, ...entry });
    return {
      command: shellLine(["code", "--add-mcp", named]),
      file: { path: ".vscode/mcp.json", format: "json", at: ["servers", name], entry },
      link: `vscode:mcp/install?${encodeURIComponent(named)}`,
      form: undefined,
      signIn:
        server.kind === "remote"
          ? { in: "menu", line: `MCP: List Servers → ${name} → Start Server` }
          : undefined,
      check: { in: "menu", line: "MCP: List Servers" },
    };
  },
};

/** A file without `tools` offers none of them. */
export const copilot: Host = {
  key: "copilot",
  name: "GitHub Copilot CLI",
  setup: (name, server) => ({
    command: shellLine(
      server.kind === "remote"
        ? ["copilot", "mcp", "add", "--transport", "http", name, server.url]
        : ["copilot", "mcp", "add", name, "--", server.command, ...server.args],
    ),
    file: {
      path: "~/.copilot/mcp-config.json",
      format: "json",
      at: ["mcpServers", name],
      entry: {
        ...(server.kind === "remote"
          ? { type: "http", url: server.url }
          : { type: "local", ...commandOf(server) }),
        tools: ["*"],
      },
    },
    link: undefined,
    form: undefined,
    signIn: server.kind === "remote" ? { in: "session", line: `/mcp auth ${name}` } : undefined,
    check: { in: "shell", line: "copilot mcp list" },
  }),
};

/** The form of version 2, which version 1 reads as well. */
export const openCode: Host = {
  key: "opencode",
  name: "opencode",
  setup: (name, server) => ({
    command: shellLine(
      server.kind === "remote"
        ? ["opencode", "mcp", "add", name, "--url", server.url]
        : ["opencode", "mcp", "add", name, "--", server.command, ...server.args],
    ),
    file: {
      path: "~/.config/opencode/opencode.json",
      format: "json",
      at: ["mcp", "servers", name],
      entry:
        server.kind === "remote"
          ? { type: "remote", url: server.url }
          : { type: "local", command: [server.command, ...server.args] },
      beside: { $schema: "https://opencode.ai/config.json" },
    },
    link: undefined,
    form: undefined,
    signIn: inShell(server, ["opencode", "mcp", "auth", name]),
    check: { in: "shell", line: "opencode mcp list" },
  }),
};

export const geminiCli: Host = {
  key: "gemini",
  name: "Gemini CLI",
  setup: (name, server) => ({
    command: shellLine(
      server.kind === "remote"
        ? ["gemini", "mcp", "add", "--transport", "http", "--scope", "user", name, server.url]
        : ["gemini", "mcp", "add", "--scope", "user", name, server.command, "--", ...server.args],
    ),
    file: {
      path: "~/.gemini/settings.json",
      format: "json",
      at: ["mcpServers", name],
      entry: server.kind === "remote" ? { type: "http", url: server.url } : commandOf(server),
    },
    link: undefined,
    form: undefined,
    signIn: server.kind === "remote" ? { in: "session", line: `/mcp auth ${name}` } : undefined,
    check: { in: "shell", line: "gemini mcp list" },
  }),
};

/** A program on this computer has the session of `authz login`, so there is no sign-in through the host. */
function inShell(server: Server, words: readonly string[]): { in: "shell"; line: string } | undefined {
  return server.kind === "remote" ? { in: "shell", line: shellLine(words) } : undefined;
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
