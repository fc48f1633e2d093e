import { exitCodes } from "../exit-code.js";
import { defaultProfile, loadConfig, seeProfiles, unknownProfile } from "../profile/config.js";
import { openProfile, signedInClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";

/** `authz logout` */
export function addLogout({ add, action }: CommandTree): void {
  add("logout", "Sign out, here and on the server.", ["authz logout"]).action(action(logout));
}

/** Ends the session on the server and forgets it here. A misspelled profile is an error, because the session meant lives on. */
async function logout({ runtime, output, profile }: CommandContext): Promise<number> {
  const opened = await openProfile(runtime, profile);
  if (opened.profile === undefined && opened.name !== defaultProfile)
    throw unknownProfile(opened.name, await loadConfig(opened.paths.config), seeProfiles);
  const client = signedInClient(runtime, opened);
  const { signedOut, revoked } = (await client?.logout()) ?? { signedOut: false, revoked: false };
  if (output.json) output.data({ signedOut, revoked });
  else if (!signedOut) output.note("You were not signed in.");
  else if (revoked) output.note("Signed out. The server has ended the session.");
  else {
    output.note("Signed out on this computer.");
    output.note("The server could not be notified, so the session ends there when it expires.");
  }
  return exitCodes.ok;
}
