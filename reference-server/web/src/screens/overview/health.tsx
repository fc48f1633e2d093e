import type { Overview } from "@admin/overview";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { shortKid } from "../keys/key-actions";
import { CatalogState } from "../skills/catalog-views";

/** How many copies of service catalogs are fresh, and which are not. */
export function Catalogs({ catalogs }: { readonly catalogs: Overview["catalogs"] }) {
  const t = useText();
  const { total, fresh, pending, problems } = catalogs;
  const link = <LinkButton to="/catalogs">{t("overview.seeCatalogs")}</LinkButton>;
  if (total === 0) {
    return (
      <Section title={t("overview.catalogs")}>
        <p className="muted">{t("overview.noCatalogs")}</p>
      </Section>
    );
  }
  return (
    <Section title={t("overview.catalogs")} actions={link}>
      <p>
        {fresh === total
          ? t("overview.catalogsFine", { total })
          : t("overview.catalogsSome", { fresh, total })}{" "}
        {pending > 0 && t("overview.catalogsPending", { count: pending })}
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

/** Advice without urgency. */
const calm: ReadonlySet<string> = new Set(["activate_now", "activates_itself"]);

/** The age of the active key, and whether a new one is due. */
export function Keys({ keys }: { readonly keys: Overview["signingKeys"] }) {
  const t = useText();
  const { active, needingAttention } = keys;
  const age = active?.ageDays ?? 0;
  return (
    <Section
      title={t("overview.keys")}
      actions={<LinkButton to="/signing-keys">{t("overview.seeKeys")}</LinkButton>}
    >
      <p>
        {active === null ? t("overview.noKey") : t("overview.keyAge", { days: age })}{" "}
        {active !== null && needingAttention.length === 0 && t("overview.keyFine")}
      </p>
      {needingAttention.map(({ kid, advice }) =>
        advice === null ? undefined : (
          <p key={kid} className="key-advice" data-urgent={!calm.has(advice.code)}>
            <Icon name={calm.has(advice.code) ? "check" : "warning"} />
            <span>
              <code className="identifier">{shortKid(kid)}</code>: {t(`keys.advice.${advice.code}`)}
            </span>
          </p>
        ),
      )}
    </Section>
  );
}
