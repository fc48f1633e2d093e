import type { AdminCatalog } from "@admin/catalogs";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { screenPath, useParam } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Icon } from "../../parts/icon";
import { Breakable, Identifier, Scopes } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, LinkButton, MainAction, Page, Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { useRefresh } from "./catalog-views";
import { messages } from "./messages";
import { Preview } from "./preview";
import "./skills.css";

const verdicts = { fresh: "passed", stale: "warning", failed: "failed", pending: "warning" } as const;
const icons = { fresh: "check", stale: "warning", failed: "failed", pending: "history" } as const;

export default function CatalogDetail() {
  const answer = useItem<AdminCatalog>(apiPath("catalogs", useParam("key")));
  return <Loaded answer={answer}>{(catalog) => <Detail catalog={catalog} />}</Loaded>;
}

/** Where one catalog stands, why it cannot be fetched, and the skills of the last good copy. */
function Detail({ catalog }: { readonly catalog: AdminCatalog }) {
  const { catalog: t } = useMessages(messages);
  const { working, refresh } = useRefresh();
  const { resourceKey, resourceName, state, error, items } = catalog;
  return (
    <Page
      title={resourceName}
      lead={<Identifier>{resourceKey}</Identifier>}
      parent={{ to: "/catalogs", title: t.title }}
      narrow
      actions={
        <>
          <LinkButton to={screenPath("resources", resourceKey)}>{t.openService}</LinkButton>
          <MainAction
            icon="history"
            loading={working !== undefined}
            onClick={() => void refresh({ key: resourceKey, name: resourceName })}
          >
            {t.refresh}
          </MainAction>
        </>
      }
    >
      <div className="stack">
        <div className="verdict" data-state={verdicts[state]}>
          <Icon name={icons[state]} size={22} />
          <div>
            <h2>{t.states[state]}</h2>
            <p>{t.sentences[state]}</p>
            {error !== null && (
              <>
                <p>
                  {t.why}: {error}
                </p>
                <p className="muted">{t.whatNext}</p>
              </>
            )}
          </div>
        </div>
        <Facts
          items={[
            [t.url, <Identifier key="url">{catalog.url}</Identifier>],
            [t.fetchedAt, <Time key="fetched" at={catalog.fetchedAt} />],
            [t.attemptedAt, <Time key="attempted" at={catalog.attemptedAt} />],
            [t.nextAttemptAt, <Time key="next" at={catalog.nextAttemptAt} />],
          ]}
        />
      </div>
      <Section title={t.items(formatNumber(items.length))}>
        {items.length === 0 && <p className="muted">{catalog.fetchedAt === null ? t.noCopy : t.noItems}</p>}
        {items.map((skill) => (
          <Skill key={skill.id} skill={skill} />
        ))}
      </Section>
    </Page>
  );
}

/** Opened with a click; the text is drawn only then. */
function Skill({ skill }: { readonly skill: AdminCatalog["items"][number] }) {
  const { title, publishedId, description, requiredScopes, content } = skill;
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
      </div>
    </details>
  );
}
