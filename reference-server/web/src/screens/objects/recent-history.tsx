import type { AuditList } from "@admin/audit";
import { useItem } from "../../api/queries";
import { Link, screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";

/** Which events are about an object, as the audit trail is asked. */
export interface HistoryQuery {
  readonly q?: string;
  readonly type?: readonly string[];
  readonly subject?: string;
  readonly client?: string;
  readonly connector?: string;
  readonly service?: string;
}

const shown = 5;

/** The last things that happened to an object; all of them are in the audit trail. */
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
