import type { AuditActor } from "../../audit/events.js";
import type { Refusal } from "../../audit/refusals.js";
import { MachineScopeError } from "../../oauth/tokens/authenticate-machine.js";
import { AdminRefusal } from "./refusals.js";
import type { Caller } from "./call.js";

/** Recorded characters of a path, so that callers cannot fill the audit trail. */
const maximumPath = 200;

/** An identified caller, and the error of the refusal. */
interface Refused {
  readonly actor: AuditActor;
  readonly error: string;
}

/**
 * Who was refused because of who they are, where they come from, or what they may do; `undefined` when that is not known,
 * or when it was something else that the request did wrong.
 */
export function whoIsRefused(error: unknown, caller: Caller | undefined): Refused | undefined {
  if (error instanceof MachineScopeError) {
    return { actor: { type: "client", id: error.clientId }, error: error.code };
  }
  if (!(error instanceof AdminRefusal)) return undefined;
  const { code, userId } = error;
  if (code !== "access_denied" && code !== "forbidden" && code !== "invalid_csrf_token") return undefined;
  if (userId !== undefined) return { actor: { type: "user", id: userId }, error: code };
  if (caller === undefined) return undefined;
  const id = caller.type === "user" ? caller.user.id : caller.clientId;
  return { actor: { type: caller.type, id }, error: code };
}

/** The event of a refusal at the administration. A query may have anything in it, so it is left out. */
export function adminRefused(
  { id: requestId, method, url }: { readonly id: string; readonly method: string; readonly url: string },
  { actor, error, at }: Refused & { readonly at: Date },
): Extract<Refusal, { type: "admin.refused" }> {
  const [path = ""] = url.split("?");
  const data = { error, method, path: path.slice(0, maximumPath) };
  return { type: "admin.refused", outcome: "denied", actor, at, requestId, data };
}
