import type { UsageRank, UsageRanking } from "@admin/usage";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { Link, screenPath, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { Breakable } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Section, skillPath } from "../../parts/page";
import "./usage.css";
import { narrowTo, type Range, type RankedBy, type Subject, usesOf } from "./usage-query";

const few = 8;
const many = 100;

/** The ranking of apps, services, people or skills by use. */
export function Ranking(props: {
  readonly by: RankedBy;
  readonly range: Range;
  readonly subject: Subject;
  /** Each number links to the usage of its line. */
  readonly narrows?: boolean;
}) {
  const { by, range, subject, narrows = false } = props;
  const t = useText();
  const [limit, setLimit] = useState(few);
  const answer = useItem<UsageRanking>("/usage/ranking", { query: { by, range, ...subject, limit } });
  return (
    <Section title={t(`usage.rankings.${by}`)}>
      <Loaded answer={answer}>
        {({ items, total }) => (
          <>
            <Ranks by={by} items={items} toNarrow={narrows ? { range, ...subject } : undefined} />
            {total > items.length && limit < many && (
              <p className="usage-note">
                <span className="muted">{t("usage.more", { count: total - items.length })}</span>{" "}
                <Button variant="default" size="compact-sm" onClick={() => setLimit(many)}>
                  {t("usage.showMore")}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Ranks(props: {
  readonly by: RankedBy;
  readonly items: readonly UsageRank[];
  readonly toNarrow: (Subject & { readonly range: Range }) | undefined;
}) {
  const { by, items, toNarrow } = props;
  const t = useText();
  if (items.length === 0) return <p className="muted">{t(`usage.empty.${by}`)}</p>;
  const isSkill = by === "skill";
  return (
    <table className="table usage-table">
      <thead>
        <tr>
          <th>{t(`usage.columns.${by}`)}</th>
          <th data-align="end">{isSkill ? t("usage.numbers.reads") : t("usage.numbers.used")}</th>
          {!isSkill && <th data-align="end">{t("usage.numbers.denied")}</th>}
          {!isSkill && (
            <th data-align="end" data-secondary>
              {t("usage.numbers.failed")}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {items.map((rank) => {
          const only = narrowTo(rank);
          const uses = formatNumber(usesOf(rank));
          return (
            <tr key={`${rank.type} ${rank.id}`}>
              <td>
                <RankName rank={rank} by={by} />
              </td>
              <td data-align="end">
                {toNarrow === undefined || only === undefined ? (
                  uses
                ) : (
                  <Link
                    to={withQuery("/usage", { ...toNarrow, ...only })}
                    aria-label={`${uses}. ${t("usage.narrow", { name: rank.name ?? rank.id })}`}
                  >
                    {uses}
                  </Link>
                )}
              </td>
              {!isSkill && <Count number={rank.denied} kind="denied" />}
              {!isSkill && <Count number={rank.failed} kind="failed" />}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A number that stands out unless it is zero. */
function Count({ number, kind }: { readonly number: number; readonly kind: "denied" | "failed" }) {
  return (
    <td
      data-align="end"
      data-secondary={kind === "failed" || undefined}
      className="usage-count"
      data-kind={number === 0 ? undefined : kind}
    >
      {formatNumber(number)}
    </td>
  );
}

function RankName({ rank, by }: { readonly rank: UsageRank; readonly by: RankedBy }) {
  const t = useText();
  const { type, id, name, detail } = rank;
  if (id === "") {
    return <span className="muted">{by === "client" ? t("usage.noApp") : t("usage.noService")}</span>;
  }
  const isGone = name === null && type !== "skill" && !(type === "user" && detail !== null);
  const shown = name ?? (type === "user" ? (detail ?? id) : id);
  const beside = name === null ? undefined : detail;
  return (
    <>
      {isGone ? (
        <Breakable>{shown}</Breakable>
      ) : (
        <Link to={pathOf(rank)}>
          <Breakable>{shown}</Breakable>
        </Link>
      )}
      {(isGone || (beside ?? "") !== "") && (
        <div className="muted">{isGone ? t("usage.gone") : <Breakable>{beside ?? ""}</Breakable>}</div>
      )}
    </>
  );
}

function pathOf({ type, id }: UsageRank): string {
  if (type === "skill") return skillPath(id);
  const lists = {
    client: "clients",
    user: "users",
    connector: "connectors",
    service: "resources",
    none: "resources",
  };
  return screenPath(lists[type], id);
}
