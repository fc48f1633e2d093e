import type { AppUserList } from "@admin/access";
import { apiPath } from "../../api/request";
import { Link, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { PeopleList, usePeople } from "./people-list";

/** The people for whom an app can act now, and since when. It may do what they may do. */
export default function PeopleOfApp({ client }: { readonly client: string }) {
  const t = useText();
  const list = usePeople<AppUserList>(apiPath("clients", client, "people"));
  const { first } = list;
  return (
    <Section
      title={t("access.appTitle")}
      {...(first !== undefined && { lead: t("access.appPeople", { count: first.people }) })}
    >
      <PeopleList
        list={list}
        loading={t("access.loading")}
        detailOf={({ devices, services, since }) => (
          <>
            {t("access.allowed", { count: devices, time: <Time key="since" at={since} /> })}
            {services.length > 0 && ` ${t("access.services", { services: services.join(", ") })}`}
          </>
        )}
        actionOf={({ id }) => (
          <Link to={withQuery("/sessions/devices", { client, user: id, state: "live" })}>
            {t("access.devices")}
          </Link>
        )}
      />
    </Section>
  );
}
