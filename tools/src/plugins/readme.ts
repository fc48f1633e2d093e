/** What a person reads who opens the folder. */
export function readme(): string {
  return `# plugins

Plugins for agent hosts. Every file here, the marketplaces at the root of the repository and \`install.md\` are written by \`npm run plugins\`, from the same
lines that \`authz setup\` and the account page show; a test proves that they are. Change the source in \`tools/src/plugins\` or
\`packages/agent-tools/src/hosts\`, never a file here.

| Host | Starts \`authz mcp\` on this computer | Calls the address of your company | Added with |
|---|---|---|---|
| Claude Code | \`authz\` | \`authz-remote\`, asks for the address | \`claude plugin marketplace add authz/authz\`, then \`claude plugin install authz@authz\` |
| Codex | \`authz\` | no variables there: \`authz setup codex\` | \`codex plugin marketplace add authz/authz\`, then \`codex plugin add authz@authz\` |
| Cursor | \`authz\` | \`authz-remote\`, asks for the address | this repository as a team marketplace |
| VS Code | \`authz\`, in the format of [Agent Plugins](https://agent-plugins.org) | no variables there: \`authz setup vscode\` | \`authz/authz\` in the setting \`chat.plugins.marketplaces\` |
| Gemini CLI | \`authz\` | \`authz-remote\`, asks for the address | \`gemini extensions install\` with the folder in a clone |
| opencode | \`authz\` | \`authz-remote\`, reads \`AUTHZ_ISSUER\` | \`opencode.json\` and \`skills\` copied to \`~/.config/opencode\` |

Each has the server and one [skill](claude-code/authz/skills/authz/SKILL.md) that tells an agent when and how to use it. The local variant fetches the command with npm (Node.js
20.19 or newer) and uses the session of \`authz login\`; the remote one needs nothing on the computer, and the host signs in by itself.

A company whose employees should not be asked for the address gives them the lines instead: the account page has them, and so has \`authz setup\`.
`;
}
