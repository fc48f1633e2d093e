import { Button } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "../api/api-error";
import { renewSession } from "../api/session";
import { useLanguage, useMessages } from "../messages/language";
import { shellMessages } from "../messages/shell";

type State = "loading" | "ready" | "forbidden" | "unreachable";

/** Loads the session before anything else is shown, and says in words when there is none. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<State>("loading");
  const language = useLanguage();
  const t = useMessages(shellMessages).noSession;

  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  const load = () => {
    renewSession().then(
      () => setState("ready"),
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 401) {
          const { pathname, search } = location;
          location.assign(`/sign-in?return_to=${encodeURIComponent(pathname + search)}`);
        } else {
          setState(error instanceof ApiError && error.status === 403 ? "forbidden" : "unreachable");
        }
      },
    );
  };
  useEffect(load, []);

  if (state === "ready") return children;
  if (state === "loading") return null;
  return (
    <main className="gate">
      <h1>{t[state]}</h1>
      <p>{state === "forbidden" ? t.forbiddenText : t.unreachableText}</p>
      {state === "forbidden" ? (
        <Button component="a" href="/">
          {t.home}
        </Button>
      ) : (
        <Button onClick={load}>{t.again}</Button>
      )}
    </main>
  );
}
