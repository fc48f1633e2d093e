import { exitCodes } from "../exit-code.js";
import { openClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";

/** `authz whoami` */
export function addWhoami({ add, action }: CommandTree): void {
  add("whoami", "Show who is signed in, as the server sees it.", [
    "authz whoami",
    "authz whoami --json",
  ]).action(action(whoami));
}

/** Shows who is signed in, as the server sees it. */
async function whoami({ runtime, output, profile }: CommandContext): Promise<number> {
  const { client, opened } = await openClient(runtime, profile);
  const me = await client.me();
  const session = await client.session();
  const deviceCode = session?.deviceCode;
  if (output.json) {
    const { subject, email, name, installation } = me;
    output.data({
      subject,
      email,
      name,
      installation,
      issuer: client.issuer,
      deviceCode,
      profile: opened.name,
    });
    return exitCodes.ok;
  }
  output.facts([
    ["Name", me.name],
    ["Email", me.email],
    ["Subject", me.subject],
    ["At", `${me.installation.name} (${client.issuer})`],
    ["Device", deviceCode],
  ]);
  return exitCodes.ok;
}
