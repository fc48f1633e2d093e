import type { IdentityProviderList } from "@admin/identity-providers";
import type { Session } from "@admin/sessions";
import { useSearch } from "../../address/links";
import { useItem } from "../../api/queries";
import { timeColumn } from "../../parts/columns";
import { ListFilter } from "../../parts/filters";
import { Time } from "../../parts/time";
import { useText } from "../../text/text";
import { BrowserName } from "./browser-name";
import { EndSessions } from "./end-sign-ins";
import { SignInList } from "./sign-in-list";

/** Browsers where people are signed in now. */
export default function SessionList() {
  const t = useText();
  const [search] = useSearch();
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 200 } });
  const providers = data?.items ?? [];
  return (
    <SignInList<Session>
      list="/sessions"
      path="/sessions"
      filterNames={["user", "provider"]}
      suggests={["user"]}
      defaultSort="-signedInAt"
      empty={{ title: t("sessions.emptyBrowsers.title"), text: t("sessions.emptyBrowsers.text") }}
      toolbar={
        (search.has("provider") || providers.length > 1) && (
          <ListFilter
            name="provider"
            label={t("sessions.anyProvider")}
            options={providers.map(({ key, name }) => [key, name])}
          />
        )
      }
      endLabel={t("sessions.signOutBrowsers")}
      End={EndSessions}
      columns={[
        {
          id: "browser",
          header: t("sessions.columns.browser"),
          width: "26%",
          cell: (session) => <BrowserName session={session} />,
        },
        {
          id: "provider",
          header: t("sessions.columns.provider"),
          width: "17%",
          secondary: true,
          cell: (session) => session.provider.name,
        },
        {
          id: "since",
          header: t("sessions.columns.signedIn"),
          sort: "signedInAt",
          width: "10.5rem",
          cell: ({ signedInAt, lastUsedAt }) => (
            <>
              <Time at={signedInAt} />
              <div className="muted">{t("sessions.used", { time: <Time at={lastUsedAt} /> })}</div>
            </>
          ),
        },
        timeColumn("until", t("sessions.columns.expires"), "9rem", ({ expiresAt }) => expiresAt),
      ]}
    />
  );
}
