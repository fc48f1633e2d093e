import { revokeLogIns } from "../../sign-in/revoke-log-ins.js";
import { type Revoking, revokeSessions } from "../../sign-in/revoke-sessions.js";
import type { RevocationReason } from "../../store/grants.js";
import type { SignOut } from "./schemas.js";

/** Ends every browser session and every log-in of a person, and says how many there were. */
export async function signOutUser(
  { userId, reason }: { readonly userId: string; readonly reason: RevocationReason },
  revoking: Revoking,
): Promise<SignOut> {
  const sessions = await revokeSessions({ userId }, revoking);
  const logIns = await revokeLogIns({ userId, reason }, revoking);
  return { sessions, logIns };
}
