import type { AdminApprovalDetail } from "@admin/approvals";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, useParam } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, Page, Section } from "../../parts/page";
import { personName } from "../../parts/person";
import { Time } from "../../parts/time";

export default function ApprovalPage() {
  const id = useParam("id");
  const answer = useItem<AdminApprovalDetail>(apiPath("approvals", id));
  return <Loaded answer={answer}>{(found) => <Detail key={found.id} found={found} />}</Loaded>;
}

function Detail({ found }: { readonly found: AdminApprovalDetail }) {
  const t = useText();
  const { person, client, resource, approver, decidedBy, decidedAt, collectedAt, state } = found;
  const fact = (name: "asked" | "until" | "decidedAt" | "collectedAt", at: string | null) =>
    at !== null && ([t(`approvals.facts.${name}`), <Time key={name} at={at} />] as const);
  return (
    <Page
      title={t("approvals.of", { method: found.method, service: resource.name, name: personName(person) })}
      parent={{ to: "/approvals", title: t("approvals.title") }}
      narrow
    >
      <Facts
        items={[
          [t("approvals.state"), t(`approvals.states.${state}`)],
          [
            t("approvals.facts.person"),
            <Link key="person" to={screenPath("users", person.id)}>
              {personName(person)}
            </Link>,
          ],
          [t("approvals.facts.app"), <Breakable key="app">{client.name ?? client.id}</Breakable>],
          [
            t("approvals.facts.service"),
            <Link
              key="service"
              to={screenPath(resource.kind === "connector" ? "connectors" : "resources", resource.key)}
            >
              {resource.name}
            </Link>,
          ],
          [t("approvals.facts.method"), <Identifier key="method">{found.method}</Identifier>],
          [t("approvals.facts.url"), <Identifier key="url">{found.url}</Identifier>],
          [t("approvals.facts.detail"), <Identifier key="type">{found.type}</Identifier>],
          [
            t("approvals.facts.approver"),
            approver === null
              ? t("approvals.facts.self")
              : t("approvals.byGroup", { group: approver.key, provider: approver.provider }),
          ],
          fact("asked", found.createdAt),
          state === "pending" && fact("until", found.expiresAt),
          decidedBy !== null && [t("approvals.facts.decidedBy"), personName(decidedBy)],
          fact("decidedAt", decidedAt),
          fact("collectedAt", collectedAt),
          [
            t("approvals.facts.txn"),
            <Link key="txn" to={`/audit?q=${encodeURIComponent(found.id)}`}>
              {t("approvals.events")}
            </Link>,
          ],
        ]}
      />
      {found.reason !== "" && (
        <Section title={t("approvals.facts.reason")}>
          <blockquote className="reason">
            <Breakable>{found.reason}</Breakable>
          </blockquote>
        </Section>
      )}
      <Section title={t("approvals.details")}>
        <pre className="mono">{JSON.stringify(found.detail, undefined, 2)}</pre>
      </Section>
    </Page>
  );
}
