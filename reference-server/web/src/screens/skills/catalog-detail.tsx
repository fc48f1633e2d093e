import type { AdminCatalog } from "@admin/catalogs";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { screenPath, useParam } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Identifier, Scopes } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, LinkButton, MainAction, Page, Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { useRefresh } from "./catalog-views";
import { Preview } from "./preview";
import "./skills.css";

const verdicts = { fresh: "passed", stale: "warning", failed: "failed", pending: "warning" } as const;

export default function CatalogDetail() {
  const answer = useItem<AdminCatalog>(apiPath("catalogs", useParam("key")));
  return <Loaded answer={answer}>{(catalog) => <Detail catalog={catalog} />}</Loaded>;
}

/** The state of one catalog, why it cannot be fetched, and the skills of the last good copy. */
function Detail({ catalog }: { readonly catalog: AdminCatalog }) {
  const t = useText();
  const { workingOn, refresh } = useRefresh();
  const { resourceKey, resourceName, state, error, items } = catalog;
  return (
    <Page
      title={resourceName}
      lead={<Identifier>{resourceKey}</Identifier>}
      parent={{ to: "/catalogs", title: t("skills.catalog.title") }}
      narrow
      actions={
        <>
          <LinkButton to={screenPath("resources", resourceKey)}>{t("skills.catalog.openService")}</LinkButton>
          <MainAction
            route="POST /catalogs/{resourceKey}/refreshes"
            icon="history"
            loading={workingOn !== undefined}
            onClick={() => void refresh({ key: resourceKey, name: resourceName })}
          >
            {t("skills.catalog.refresh")}
          </MainAction>
        </>
      }
    >
      <div className="stack">
        <VerdictBox
          state={verdicts[state]}
          {...(state === "pending" && { icon: "history" })}
          title={t(`skills.catalog.states.${state}`)}
        >
          <p>{t(`skills.catalog.sentences.${state}`)}</p>
          {error !== null && (
            <>
              <p>{t("skills.catalog.failure", { reason: error })}</p>
              <p className="muted">{t("skills.catalog.whatNext")}</p>
            </>
          )}
        </VerdictBox>
        <Facts
          items={[
            [t("skills.catalog.url"), <Identifier key="url">{catalog.url}</Identifier>],
            [t("skills.catalog.fetchedAt"), <Time key="fetched" at={catalog.fetchedAt} />],
            [t("skills.catalog.attemptedAt"), <Time key="attempted" at={catalog.attemptedAt} />],
            [t("skills.catalog.nextAttemptAt"), <Time key="next" at={catalog.nextAttemptAt} />],
          ]}
        />
      </div>
      <Section title={t("skills.catalog.items", { count: items.length })}>
        {items.length === 0 && (
          <p className="muted">
            {catalog.fetchedAt === null ? t("skills.catalog.noCopy") : t("skills.catalog.noItems")}
          </p>
        )}
        {items.map((skill) => (
          <Skill key={skill.id} skill={skill} />
        ))}
      </Section>
    </Page>
  );
}

/** A skill of a catalog; its text is drawn when it is opened. */
function Skill({ skill }: { readonly skill: AdminCatalog["items"][number] }) {
  const t = useText();
  const { title, publishedId, description, requiredScopes, content, files } = skill;
  return (
    <details className="catalog-skill">
      <summary>
        <strong>{title}</strong>
        <code className="identifier">
          <Breakable>{publishedId}</Breakable>
        </code>
      </summary>
      <div className="catalog-skill-body">
        {description !== null && <p>{description}</p>}
        {requiredScopes.length > 0 && <Scopes keys={requiredScopes} />}
        <Preview>{content}</Preview>
        {files.length > 0 && (
          <>
            <h3>{t("skills.catalog.files")}</h3>
            <ul>
              {files.map(({ path, size, digest }) => (
                <li key={path} title={digest}>
                  <code>{path}</code> <span className="muted">{t("skills.catalog.bytes", { size })}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}
