import type { SignalStream, StreamCredential } from "@admin/signal-streams";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Copyable } from "../../parts/copyable";
import "../../parts/lists.css";
import { Section } from "../../parts/page";
import { Problem, useAction } from "../../parts/use-action";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";

/** Where the transmitter pushes events, and a button that makes what it has to present there. */
export function StreamCredentials({
  stream: { key, hasCredential },
  pushUrl,
}: {
  readonly stream: SignalStream;
  readonly pushUrl: string;
}) {
  const t = useText();
  const forget = useForget();
  const { run, problem, working } = useAction();
  const [created, setCreated] = useState<StreamCredential>();
  const create = () =>
    run(async () => {
      setCreated(
        await request<StreamCredential>(apiPath("signal-streams", key, "credentials"), { method: "POST" }),
      );
      await forget("/signal-streams");
    });
  return (
    <Section
      title={t("signal-streams.credential.title")}
      lead={hasCredential ? t("signal-streams.credential.lead") : t("signal-streams.credential.none")}
      actions={
        <ActionButton
          route="POST /signal-streams/{key}/credentials"
          variant="default"
          onClick={() => void create()}
          loading={working}
        >
          {hasCredential ? t("signal-streams.credential.replace") : t("signal-streams.credential.create")}
        </ActionButton>
      }
    >
      <div className="note-box before-form">
        <p>{t("signal-streams.credential.pushUrl")}</p>
        <Copyable>{pushUrl}</Copyable>
        {created !== undefined && (
          <div role="status">
            {created.atTransmitter && <p>{t("signal-streams.credential.taken")}</p>}
            <p>{t("signal-streams.credential.header")}</p>
            <Copyable>{created.authorizationHeader}</Copyable>
          </div>
        )}
      </div>
      <Problem>{problem}</Problem>
    </Section>
  );
}
