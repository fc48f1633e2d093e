import type { SkillSummary } from "@admin/skills";
import { Link, screenPath } from "../../app/links";
import { useMessages } from "../../messages/language";
import { Breakable, Scopes } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { messages } from "./messages";
import { SkillViews } from "./skill-views";

export default function SkillList() {
  const t = useMessages(messages);
  const create = <MainAction to="/skills/new">{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <SkillViews current="own" />
      <ResourceTable<SkillSummary>
        list="/skills"
        searchLabel={t.plural}
        defaultSort="title"
        rowId={({ id }) => id}
        rowName={({ title }) => title}
        rowTo={({ id }) => screenPath("skills", id)}
        empty={{ ...t.empty, action: create }}
        columns={[
          {
            id: "title",
            header: t.columns.title,
            sort: "title",
            cell: ({ id, title, publishedId }) => (
              <>
                <Link to={screenPath("skills", id)}>{title}</Link>
                <div className="muted">
                  <code className="identifier">
                    <Breakable>{publishedId}</Breakable>
                  </code>
                </div>
              </>
            ),
          },
          {
            id: "scopes",
            header: t.columns.scopes,
            width: "34%",
            cell: ({ requiredScopes }) => <Scopes keys={requiredScopes} most={3} />,
          },
          {
            id: "visibility",
            header: t.columns.visibility,
            width: "10rem",
            secondary: true,
            cell: ({ visibility }) => (visibility === "DEFAULT" ? t.everybody : t.onlyAllowed),
          },
          {
            id: "changed",
            header: t.columns.changed,
            sort: "updatedAt",
            width: "9rem",
            secondary: true,
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
    </Page>
  );
}
