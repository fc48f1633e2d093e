/**
 * Hosts of the metadata documents of popular apps, as published in November 2026, with the names people know.
 */
export const wellKnownHosts: ReadonlyMap<string, string> = new Map([
  ["claude.ai", "Claude, Claude Code"],
  ["chatgpt.com", "ChatGPT, Codex"],
  ["vscode.dev", "Visual Studio Code"],
  ["github.com", "GitHub Copilot CLI"],
  ["zed.dev", "Zed"],
  ["goose-docs.ai", "goose"],
]);

/** The default name of a host. */
export function hostName(host: string): string {
  return wellKnownHosts.get(host) ?? host;
}

/** The host of a typed or pasted address, in the form that the server compares. */
export function readHost(text: string): string {
  const typed = text.trim();
  const address = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return URL.canParse(address) && new URL(address).hostname !== "" ? new URL(address).host : typed;
}
