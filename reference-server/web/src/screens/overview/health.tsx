import type { Overview } from "@admin/overview";
import { Link, screenPath } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Icon } from "../../parts/icon";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { messages as keyMessages } from "../keys/messages";
import { CatalogState } from "../skills/catalog-views";
import { messages } from "./messages";

/** How fresh the copies of what services publish are, and which are not. */
export function Catalogs({ catalogs }: { readonly catalogs: Overview["catalogs"] }) {
  const t = useMessages(messages);
  const { total, fresh, pending, problems } = catalogs;
  const link = <LinkButton to="/catalogs">{t.seeCatalogs}</LinkButton>;
  if (total === 0) {
    return (
      <Section title={t.catalogs}>
        <p className="muted">{t.noCatalogs}</p>
      </Section>
    );
  }
  return (
    <Section title={t.catalogs} actions={link}>
      <p>
        {fresh === total
          ? t.catalogsFine(formatNumber(total))
          : t.catalogsSome(formatNumber(fresh), formatNumber(total))}{" "}
        {pending > 0 && t.catalogsPending(formatNumber(pending))}
      </p>
      <RecordRows
        rows={problems.map(({ resourceKey, resourceName, state, error, fetchedAt }) => ({
          id: resourceKey,
          title: <Link to={screenPath("catalogs", resourceKey)}>{resourceName}</Link>,
          detail: error ?? (fetchedAt !== null && <Time at={fetchedAt} />),
          action: <CatalogState state={state} />,
        }))}
      />
    </Section>
  );
}

/** How long the active key has signed, and whether another one is due. */
export function Keys({ keys }: { readonly keys: Overview["signingKeys"] }) {
  const t = useMessages(messages);
  const { advice: advices, short } = useMessages(keyMessages);
  const { active, needingAttention } = keys;
  const age = active?.ageDays ?? 0;
  return (
    <Section title={t.keys} actions={<LinkButton to="/signing-keys">{t.seeKeys}</LinkButton>}>
      <p>
        {active === null ? t.noKey : t.keyAge(age, formatNumber(age))}{" "}
        {active !== null && needingAttention.length === 0 && t.keyFine}
      </p>
      {needingAttention.map(({ kid, advice }) =>
        advice === null ? undefined : (
          <p key={kid} className="key-advice" data-urgent={advice.code !== "activate_now"}>
            <Icon name={advice.code === "activate_now" ? "check" : "warning"} />
            <span>
              <code className="identifier">{short(kid)}</code>: {advices[advice.code]}
            </span>
          </p>
        ),
      )}
    </Section>
  );
}
