import type { Overview } from "@admin/overview";
import type { ReactNode } from "react";
import { Link, screenPath } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { Breakable } from "../../parts/identifier";
import { Section, skillPath } from "../../parts/page";

interface Rank {
  readonly id: string;
  readonly name: ReactNode;
  readonly count: number;
}

export function TopResources({ overview }: { readonly overview: Overview }) {
  const t = useText();
  const ranks = overview.topResources.map(({ key, name, resource, issued }) => ({
    id: resource,
    count: issued,
    name:
      key === null ? (
        <>
          <Breakable>{resource}</Breakable> <span className="muted">({t("overview.unregistered")})</span>
        </>
      ) : (
        <Link to={screenPath("resources", key)}>{name ?? key}</Link>
      ),
  }));
  return <Ranking title={t("overview.topResources")} empty={t("overview.noResources")} ranks={ranks} />;
}

export function TopClients({ overview }: { readonly overview: Overview }) {
  const t = useText();
  const ranks = overview.topClients.map(({ id, name, host, issued, people }) => ({
    id,
    count: issued,
    name: (
      <>
        {name === null ? <Breakable>{id}</Breakable> : <Link to={screenPath("clients", id)}>{name}</Link>}{" "}
        <span className="muted">
          {host !== null && `${host}, `}
          {name === null ? t("overview.unregistered") : t("overview.byPeople", { count: people })}
        </span>
      </>
    ),
  }));
  return <Ranking title={t("overview.topClients")} empty={t("overview.noClients")} ranks={ranks} />;
}

export function TopSkills({ overview }: { readonly overview: Overview }) {
  const t = useText();
  const ranks = overview.topSkills.map(({ publishedId, reads }) => ({
    id: publishedId,
    count: reads,
    name: (
      <Link to={skillPath(publishedId)}>
        <code className="identifier">
          <Breakable>{publishedId}</Breakable>
        </code>
      </Link>
    ),
  }));
  return <Ranking title={t("overview.topSkills")} empty={t("overview.noSkills")} ranks={ranks} />;
}

function Ranking(props: { readonly title: string; readonly empty: string; readonly ranks: readonly Rank[] }) {
  const { title, empty, ranks } = props;
  const t = useText();
  const most = Math.max(1, ...ranks.map(({ count }) => count));
  if (ranks.length === 0) {
    return (
      <Section title={title}>
        <p className="muted">{empty}</p>
      </Section>
    );
  }
  return (
    <Section title={title} lead={t("overview.lastDays")}>
      <ol className="ranking">
        {ranks.map(({ id, name, count }) => (
          <li key={id}>
            <span className="ranking-name">{name}</span>
            <span className="ranking-count">
              <span aria-hidden="true">{formatNumber(count)}</span>
              <span className="visually-hidden">{t("overview.times", { count })}</span>
            </span>
            <span className="ranking-bar" aria-hidden="true" style={{ width: `${(100 * count) / most}%` }} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
