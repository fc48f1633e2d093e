import type { Session } from "@admin/session";
import { useSyncExternalStore } from "react";
import { currentLanguage } from "../text/text";
import { ApiError } from "./api-error";

let session: Session | undefined;
let waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
const listeners = new Set<() => void>();

/** Reads the session. @throws {ApiError} Nobody is signed in, or the person does not administer. */
export async function renewSession(): Promise<Session> {
  const response = await fetch("/api/admin/v1/session", {
    headers: { accept: "application/json", "accept-language": currentLanguage() },
    credentials: "same-origin",
  }).catch((cause: unknown) => {
    throw new ApiError({ status: 0, code: "unreachable", description: "" }, { cause });
  });
  if (!response.ok) {
    const body = (await response.json().catch(() => ({}))) as { error?: string; error_description?: string };
    throw new ApiError({
      status: response.status,
      code: body.error ?? "server_error",
      description: body.error_description ?? "",
    });
  }
  const next = (await response.json()) as Session;
  const changedPerson = session !== undefined && session.user.id !== next.user.id;
  session = next;
  notify();
  // Somebody else signed in: what is on the screen was not theirs.
  if (changedPerson) location.reload();
  return next;
}

export async function currentCsrfToken(): Promise<string> {
  return (session ?? (await renewSession())).csrfToken;
}

/** Asks the person to sign in again, and waits until that has happened. */
export function signInAgain(): Promise<void> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { promise, resolve };
    notify();
  }
  return waiting.promise;
}

/** Looks whether the person is signed in again, and lets everything that waits go on. */
export async function checkSignedIn(): Promise<boolean> {
  try {
    await renewSession();
  } catch {
    return false;
  }
  waiting?.resolve();
  waiting = undefined;
  notify();
  return true;
}

export function isSessionThere(): boolean {
  return session !== undefined;
}

/** The session of the person; only used below the shell, which has loaded it. */
export function useSession(): Session {
  const current = useSyncExternalStore(subscribe, () => session);
  if (current === undefined) throw new Error("The session is not loaded yet.");
  return current;
}

/** Whether the session has ended and something waits for a new one. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => waiting !== undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
