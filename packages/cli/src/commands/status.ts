import { AuthzClientError } from "@authz/client";
import { exitCodes } from "../exit-code.js";
import { openProfile, signedInClient, signInStep } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";

/** `authz status` */
export function addStatus({ add, action }: CommandTree): void {
  add("status", "Show the session as this computer knows it. Contacts no server.", ["authz status"]).action(
    action(status),
  );
}

/** Shows the session as this computer knows it. Asks no server. */
async function status({ runtime, output, offer, profile: asked }: CommandContext): Promise<number> {
  const opened = await openProfile(runtime, asked);
  const { name: profile, profile: known } = opened;
  const store = known?.store;
  let ended: string | undefined;
  const session = await signedInClient(runtime, opened)
    ?.session()
    .catch((error: unknown) => {
      if (!(error instanceof AuthzClientError) || error.code !== "session_ended") throw error;
      ended = error.why;
      return undefined;
    });
  const signedIn = session !== undefined;
  if (output.json) {
    const { subject, email, name, deviceCode, signedInAt } = session ?? {};
    output.data({
      profile,
      issuer: known?.issuer,
      store,
      signedIn,
      ended,
      subject,
      email,
      name,
      deviceCode,
      signedInAt,
    });
    return signedIn ? exitCodes.ok : exitCodes.signInNeeded;
  }
  output.facts([
    ["Profile", profile],
    ["Server", known?.issuer ?? "none yet"],
    [
      "Session",
      session === undefined
        ? (ended ?? "not signed in")
        : `signed in as ${session.name ?? session.email ?? session.subject}`,
    ],
    ["Since", session === undefined ? undefined : new Date(session.signedInAt).toISOString()],
    ["Device", session?.deviceCode],
    ["Kept in", store],
  ]);
  if (!signedIn) output.note(output.quiet(`Next: ${offer(signInStep(opened))}`));
  return signedIn ? exitCodes.ok : exitCodes.signInNeeded;
}
