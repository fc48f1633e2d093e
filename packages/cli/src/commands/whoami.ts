import { EXIT } from "../exit-code.js";
import { openClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";

/** Shows who is signed in, as the server sees it. */
export async function whoami({ surroundings, output, profile }: CommandContext): Promise<number> {
  const { client, opened } = await openClient(surroundings, profile);
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
    return EXIT.ok;
  }
  output.facts([
    ["Name", me.name],
    ["E-mail", me.email],
    ["Subject", me.subject],
    ["At", `${me.installation.name} (${client.issuer})`],
    ["Device", deviceCode],
  ]);
  return EXIT.ok;
}
