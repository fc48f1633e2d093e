import type { SignalStream } from "@admin/signal-streams";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useParam } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, HistoryLink, Page, Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { useEdit } from "../../parts/use-edit";
import { StreamCredentials } from "./stream-credentials";
import { StreamFields } from "./stream-fields";
import { StreamTestSection } from "./stream-test";
import { type StreamValues, toStreamPatch, toStreamValues } from "./stream-values";
import { ActionButton } from "../../parts/if-may";

export default function StreamEdit() {
  const key = useParam("key");
  const answer = useItem<SignalStream>(apiPath("signal-streams", key));
  return <Loaded answer={answer}>{(stream) => <Editor key={stream.key} stream={stream} />}</Loaded>;
}

function Editor({ stream }: { readonly stream: SignalStream }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const { key, name, hasToken, pushUrl } = stream;
  const form = useEdit<StreamValues, SignalStream>({
    initial: toStreamValues(stream),
    version: stream.version,
    send: (values, { version }) =>
      request(apiPath("signal-streams", key), { method: "PATCH", body: toStreamPatch(values), version }),
    toValues: toStreamValues,
    onSaved: () => forget("/signal-streams", "/overview"),
  });
  return (
    <Page
      title={name}
      lead={<Identifier>{key}</Identifier>}
      parent={{ to: "/signal-streams", title: t("signal-streams.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          <ActionButton
            route="DELETE /signal-streams/{key}"
            variant="default"
            onClick={() => setDeleting(true)}
          >
            {t("signal-streams.delete")}
          </ActionButton>
        </>
      }
    >
      <StreamTestSection stream={stream} />
      {pushUrl !== null && <StreamCredentials stream={stream} pushUrl={pushUrl} />}
      <EditForm
        route="PATCH /signal-streams/{key}"
        form={form}
        submitLabel={t("parts.save")}
        labels="signal-streams.fields"
        secrets={["token"]}
      >
        <StreamFields form={form} hasToken={hasToken} />
      </EditForm>
      <Events stream={stream} />
      {deleting && (
        <DeleteObject
          list="signal-streams"
          object={stream}
          texts="signal-streams"
          affects={["/overview"]}
          previews={false}
          onClose={() => setDeleting(false)}
        >
          <p>{t("signal-streams.deleteText")}</p>
        </DeleteObject>
      )}
    </Page>
  );
}

const outcomes = [
  "acted",
  "withoutEffect",
  "unknownSubject",
  "unknownEvent",
  "stale",
  "repeated",
  "refused",
] as const;

/** Where the events come from, and what became of them. */
function Events({ stream }: { readonly stream: SignalStream }) {
  const t = useText();
  const { counts, lastRefusal, lastRefusedAt, lastLagSeconds: lag, provider } = stream;
  return (
    <Section title={t("signal-streams.events")} lead={t("signal-streams.eventsLead")}>
      <Facts
        items={[
          [
            t("signal-streams.fields.provider"),
            <Link key="provider" to={screenPath("identity-providers", provider)}>
              {provider}
            </Link>,
          ],
          [
            t("signal-streams.fields.transmitter"),
            <Identifier key="transmitter">{stream.transmitter}</Identifier>,
          ],
          [t("signal-streams.fields.streamId"), <Identifier key="id">{stream.streamId}</Identifier>],
          [t("signal-streams.fields.audience"), <Identifier key="audience">{stream.audience}</Identifier>],
          [t("signal-streams.received"), <Time key="received" at={stream.lastReceivedAt} />],
          lag !== null && [
            t("signal-streams.lag"),
            t("signal-streams.seconds", { seconds: Math.round(lag) }),
          ],
          ...outcomes.map(
            (outcome) => [t(`signal-streams.counts.${outcome}`), formatNumber(counts[outcome])] as const,
          ),
          lastRefusal !== null && [
            t("signal-streams.lastRefusal"),
            <span key="refusal">
              <Identifier>{lastRefusal}</Identifier> <Time at={lastRefusedAt} />
            </span>,
          ],
        ]}
      />
    </Section>
  );
}
