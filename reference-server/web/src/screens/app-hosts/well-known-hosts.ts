/**
 * Hosts of the metadata documents of apps that many people use, as those documents were published in November 2026, and what people know
 * them as.
 */
export const wellKnownHosts: ReadonlyMap<string, string> = new Map([
  ["claude.ai", "Claude, Claude Code"],
  ["chatgpt.com", "ChatGPT, Codex"],
  ["vscode.dev", "Visual Studio Code"],
  ["github.com", "GitHub Copilot CLI"],
  ["zed.dev", "Zed"],
  ["goose-docs.ai", "goose"],
]);

/** What a host is called until an administrator says something else. */
export function hostName(host: string): string {
  return wellKnownHosts.get(host) ?? host;
}

/** What somebody typed or pasted as a host: of an address the host, in the form that the server compares. */
export function readHost(text: string): string {
  const typed = text.trim();
  const address = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return URL.canParse(address) && new URL(address).hostname !== "" ? new URL(address).host : typed;
}
