import type { Client } from "@admin/clients";
import type { Connector } from "@admin/connectors";
import type { User } from "@admin/people";
import type { Resource } from "@admin/resources";
import type { Usage } from "@admin/usage";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { FilterChip } from "../../parts/filters";
import { Page } from "../../parts/page";
import { Time } from "../../parts/time";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Denials } from "./denials";
import { UsageNumbers } from "./numbers";
import { RangeChoice } from "./range-choice";
import { Ranking } from "./ranking";
import "./usage.css";
import { ranges, rankingsOf, readSubject, type Subject, type SubjectName, subjectNames } from "./usage-query";

/** The usage in a period, of everything or of one app, person, service or connector. */
export default function UsageScreen() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const range = ranges.find((one) => one === search.get("range")) ?? "30d";
  const subject = readSubject(search);
  const names = useSubjectNames(subject);
  const lists = rankingsOf(subject);
  return (
    <Page title={t("usage.title")} lead={t("usage.lead")}>
      <div className="usage-toolbar">
        <RangeChoice
          range={range}
          onChange={(next) => setSearch({ range: next === "30d" ? undefined : next })}
        />
        {subjectNames.map((name) => (
          <FilterChip
            key={name}
            name={name}
            label={subject[name] && t("usage.only", { name: names[name] ?? subject[name] })}
          />
        ))}
        <Counted range={range} />
      </div>
      <UsageNumbers range={range} subject={subject} />
      <div className="usage-lists">
        {lists.map((by) => (
          <Ranking key={by} by={by} range={range} subject={subject} narrows />
        ))}
      </div>
      <Denials range={range} subject={subject} />
    </Page>
  );
}

/** The time up to which the numbers are counted. */
function Counted({ range }: { readonly range: string }) {
  const t = useText();
  const { data } = useItem<Usage>("/usage", { query: { range } });
  if (data === undefined) return undefined;
  return (
    <p className="muted usage-counted">
      {data.countedThrough === null
        ? t("usage.notCounted")
        : t("usage.counted", { time: <Time at={data.countedThrough} /> })}
    </p>
  );
}

/** The names of a subject; `undefined` for what is removed or still loading. */
function useSubjectNames(subject: Subject): Readonly<Record<SubjectName, string | undefined>> {
  const { client, user, service, connector } = subject;
  const app = useItem<Client>(apiPath("clients", client ?? ""), { enabled: client !== undefined });
  const person = useItem<User>(apiPath("users", user ?? ""), { enabled: user !== undefined });
  const resource = useItem<Resource>(apiPath("resources", service ?? ""), {
    enabled: service !== undefined,
  });
  const third = useItem<Connector>(apiPath("connectors", connector ?? ""), {
    enabled: connector !== undefined,
  });
  return {
    client: app.data?.name,
    user: person.data?.name ?? person.data?.email ?? undefined,
    service: resource.data?.name,
    connector: third.data?.name,
  };
}
