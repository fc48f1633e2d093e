import type { Grant } from "@admin/sessions";
import { ListFilter } from "../../parts/filters";
import { Scopes, Status } from "../../parts/identifier";
import { Time } from "../../parts/time";
import { hasText, useText } from "../../text/text";
import { AppName, ClientFilter, ServiceFilter, ServiceName } from "./apps";
import { EndGrants } from "./end-sign-ins";
import { SignInList } from "./sign-in-list";

/** Apps that act for people, and those that did. */
export default function GrantList() {
  const t = useText();
  return (
    <SignInList<Grant>
      list="/grants"
      path="/sessions/devices"
      filterNames={["user", "client", "service", "state"]}
      suggests={["user", "client", "service"]}
      defaultSort="-createdAt"
      empty={{ title: t("sessions.emptyApps.title"), text: t("sessions.emptyApps.text") }}
      toolbar={
        <>
          <ListFilter
            name="state"
            label={t("sessions.anyState")}
            options={[
              ["live", t("sessions.live")],
              ["ended", t("sessions.ended")],
            ]}
          />
          <ClientFilter />
          <ServiceFilter />
        </>
      }
      endLabel={t("sessions.signOutApps")}
      canEnd={({ state }) => state !== "ended"}
      End={EndGrants}
      columns={[
        {
          id: "client",
          header: t("sessions.columns.client"),
          width: "19%",
          secondary: true,
          cell: (grant) => <AppName grant={grant} />,
        },
        {
          id: "scopes",
          header: t("sessions.columns.service"),
          width: "22%",
          secondary: true,
          cell: ({ service, scopes }) => (
            <>
              <ServiceName service={service} />
              <div>
                <Scopes keys={scopes} most={3} />
              </div>
            </>
          ),
        },
        {
          id: "state",
          header: t("sessions.columns.state"),
          width: "11rem",
          cell: (grant) => <GrantState grant={grant} />,
        },
        {
          id: "since",
          header: t("sessions.columns.signedIn"),
          sort: "createdAt",
          width: "10.5rem",
          secondary: true,
          cell: ({ createdAt, lastUsedAt }) => (
            <>
              <Time at={createdAt} />
              <div className="muted">{t("sessions.used", { time: <Time at={lastUsedAt} /> })}</div>
            </>
          ),
        },
      ]}
    />
  );
}

function GrantState({ grant: { state, revocationReason } }: { readonly grant: Grant }) {
  const t = useText();
  if (state === "live") return <Status tone="good">{t("sessions.live")}</Status>;
  const reason = revocationReason ?? "expired";
  const key = `sessions.reasons.${reason}`;
  return (
    <>
      <Status tone="neutral">{t("sessions.ended")}</Status>
      <div className="muted">{hasText(key) ? t(key) : reason.replaceAll("_", " ")}</div>
    </>
  );
}
