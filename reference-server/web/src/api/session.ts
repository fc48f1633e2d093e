import type { Session } from "@admin/session";
import { createStore, useStore } from "../store";
import { currentLanguage } from "../text/text";
import { send, toError } from "./api-error";

const session = createStore<Session | undefined>(undefined);
/** Set while the session has ended; resolved by the next sign-in. */
const signIn = createStore<PromiseWithResolvers<void> | undefined>(undefined);

/** Reads the session. @throws {ApiError} The browser is not signed in, or the person is no administrator. */
export async function renewSession(): Promise<Session> {
  const headers = { accept: "application/json", "accept-language": currentLanguage() };
  const response = await send("/api/admin/v1/session", { headers });
  if (!response.ok) throw await toError(response);
  const next = (await response.json()) as Session;
  const before = session.get();
  session.set(next);
  // The screen shows what the person before was allowed to see.
  if (before !== undefined && before.user.id !== next.user.id) location.reload();
  return next;
}

export async function currentCsrfToken(): Promise<string> {
  return (session.get() ?? (await renewSession())).csrfToken;
}

/** Asks the person to sign in again, and waits for that. */
export function signInAgain(): Promise<void> {
  const waiting = signIn.get() ?? Promise.withResolvers<void>();
  if (signIn.get() === undefined) signIn.set(waiting);
  return waiting.promise;
}

/** Checks whether the person has signed in again, and resumes waiting requests. */
export async function checkSignedIn(): Promise<boolean> {
  try {
    await renewSession();
  } catch {
    return false;
  }
  signIn.get()?.resolve();
  signIn.set(undefined);
  return true;
}

export function isSessionThere(): boolean {
  return session.get() !== undefined;
}

/** The session of the person; only used below the shell, which has loaded it. */
export function useSession(): Session {
  const current = useStore(session);
  if (current === undefined) throw new Error("The session is not loaded yet.");
  return current;
}

/** A route of the API, as its documentation names it: `PATCH /users/{id}`. */
export type Route = `${"DELETE" | "GET" | "PATCH" | "POST" | "PUT"} /${string}`;

/** Returns whether the person may use a route. The server decides; this only spares them a refusal. */
export function useMay(): (route: Route) => boolean {
  const { may } = useSession();
  return (route) => may.includes(route);
}

/** Whether the session has ended and requests wait for a new one. */
export function useSessionEnded(): boolean {
  return useStore(signIn) !== undefined;
}
