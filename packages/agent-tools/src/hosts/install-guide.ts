import { fileText } from "./file-text.js";
import type { Action, Host, Setup } from "./host.js";

/** Whose guide it is. */
export interface InstallGuide {
  /** Address of the authorization server. */
  readonly issuer: string;
  /** As people call the installation. */
  readonly installationName: string;
  readonly hosts: readonly { readonly host: Host; readonly setup: Setup }[];
}

/**
 * A page that an agent can follow by itself: which host it runs in, what to add, how to see that it works, what to tell its person. Markdown
 * without anything that is secret or belongs to one person.
 */
export function installGuide({ issuer, installationName, hosts }: InstallGuide): string {
  const name = plainText(installationName) || new URL(issuer).host;
  const sections = hosts.map(({ host, setup }) => hostSection(host, setup));
  return `# Connect an agent to ${name}

You are an agent, and this page is for you. It connects the program you run in to the services of ${name}. Afterwards you can call them with your user's permissions, without ever seeing
a credential. Nothing here is secret. Follow the four steps in order, and tell your user before you change a file or run a command.

## 1. Find out which host you run in

The host is the program in which your user talks to you. Your own instructions usually name it. If you are not sure, ask your user: "Which program are we in?" Do not guess, and do
not set up more than one.

${hosts.map(({ host }) => `- [${host.name}](#${anchorOf(host)})`).join("\n")}

In any other host that speaks MCP, add a remote server (Streamable HTTP) called \`authz\` at \`${issuer}/mcp\`, following its own documentation.

## 2. Add the server

First check whether it is already there: if \`authz\` is among your servers, or you have a tool called \`find_skills\`, go to step 3.

${sections.join("\n")}
## 3. Check that it works

1. Your user signs in once: the browser opens at ${issuer}, they choose their account and allow the app. You cannot do this for them.
2. Some hosts read their configuration only when they start. If there is no tool called \`find_skills\`, ask your user to restart the host or the conversation.
3. Call \`find_skills\` without arguments. If the answer is a list, even an empty one, it works.

| What you see | What it means |
|---|---|
| a page that names a host and whom to ask | this app is not allowed here yet; the page says who decides |
| "Unauthorized" after the sign-in | the sign-in was not finished; sign in again |
| a list without what your user needs | a permission is missing; \`explain\` says which, and whom to ask |
| no answer at all | the host cannot reach ${issuer}; your user should ask an administrator |

## 4. Tell your user

Say which host you set up, what you added and where, and whether it works or what is missing. Then say that you can now find out what the services of ${name} can do, with exactly your
user's permissions. They can review and end this at any time at ${issuer}.

## Without a remote server

If a host can only start programs, use the command instead. It needs Node.js 20.19 or newer, or the [standalone program](https://github.com/authz/authz/releases):

\`\`\`sh
npm install --global @authz/cli
authz login --issuer ${issuer}
authz setup
\`\`\`

The last line lists the hosts; \`authz setup cursor --local\`, for example, shows what to add for Cursor, and \`--write\` adds it to the file.
`;
}

function anchorOf({ name }: Host): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

function hostSection({ name }: Host, setup: Setup): string {
  const { command, file, form } = setup;
  const lines = [`### ${name}`];
  if (command !== undefined) lines.push(fence("sh", command));
  if (file !== undefined) {
    const lead = command === undefined ? "In" : "Or, without a shell, in";
    lines.push(
      `${lead} \`${file.path}\`, next to what is already there:`,
      fence(file.format, fileText(file)),
    );
  }
  if (form !== undefined)
    lines.push(`Only your user can add it: *${form.menu}*, with this address:`, fence("text", form.address));
  lines.push(...signInLines(setup));
  return `${lines.join("\n\n")}\n`;
}

function signInLines({ signIn, check }: Setup): readonly string[] {
  const said = signIn === undefined ? [] : [`Sign in: ${actionText(signIn)}.`];
  return [[...said, `Check: ${actionText(check)}.`].join(" ")];
}

function actionText(action: Action): string {
  if (action.in === "menu") return `*${action.line}*`;
  return action.in === "shell"
    ? `\`${action.line}\` in a shell`
    : `\`${action.line}\` in the conversation, which only your user can type`;
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

/** A name chosen by an administrator, as words and nothing else: no line of its own, no link, no code, nothing that cannot be seen. */
function plainText(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]|[\\`*_[\]<>#|!~{}()]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
