import type { AuditList } from "@admin/audit";
import { useItem } from "../../api/queries";
import { Link, screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";

/** The audit trail's filter for the events of an object. */
export interface HistoryQuery {
  readonly q?: string;
  readonly type?: readonly string[];
  readonly subject?: string;
  readonly client?: string;
  readonly connector?: string;
  readonly service?: string;
}

const shown = 5;

/** The latest events of an object, with a link to all of them. */
export default function RecentHistory({ query }: { readonly query: HistoryQuery }) {
  const t = useText();
  const answer = useItem<AuditList>("/audit-events", { query: { ...query, limit: shown } });
  return (
    <Section
      title={t("access.history")}
      actions={
        <LinkButton icon="history" to={withQuery("/audit", { ...query })}>
          {t("access.allHistory")}
        </LinkButton>
      }
    >
      <Loaded answer={answer}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">{t("access.noHistory")}</p>
          ) : (
            <RecordRows
              rows={items.map(({ id, at, description }) => ({
                id,
                title: <Link to={screenPath("audit", id)}>{description}</Link>,
                detail: <Time at={at} />,
              }))}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
