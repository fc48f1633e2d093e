import type { Session } from "@admin/session";
import { Button } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "../api/api-error";
import { isSessionThere, renewSession } from "../api/session";
import { useLanguage, useText } from "../text/text";

type State = "loading" | "ready" | "forbidden" | "unreachable";

/** Waits for the session and shows why there is none; starts a sign-in where that helps. */
export function SessionGate({
  asked,
  children,
}: {
  readonly asked: Promise<Session>;
  readonly children: ReactNode;
}) {
  const [state, setState] = useState<State>(() => (isSessionThere() ? "ready" : "loading"));
  const language = useLanguage();
  const t = useText();

  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  const wait = (session: Promise<Session>) => {
    session.then(
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
  useEffect(() => wait(asked), [asked]);

  if (state === "ready") return children;
  if (state === "loading") return <Starting />;
  return (
    <main className="gate">
      <h1>{t(`shell.noSession.${state}`)}</h1>
      <p>
        {state === "forbidden" ? t("shell.noSession.forbiddenText") : t("shell.noSession.unreachableText")}
      </p>
      {state === "forbidden" ? (
        <Button component="a" href="/">
          {t("shell.noSession.home")}
        </Button>
      ) : (
        <Button onClick={() => wait(renewSession())}>{t("shell.noSession.again")}</Button>
      )}
    </main>
  );
}

/** The same outline as in index.html, so that the look does not change when the code has loaded. */
function Starting() {
  const t = useText();
  return (
    <div className="starting" aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("shell.loading")}
      </p>
      <div />
      <span />
      <span />
      <span />
    </div>
  );
}
