import type { SkillSummary } from "@admin/skills";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Scopes } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { timeColumn } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { SkillState } from "./skill-state";
import { useProposing } from "./proposing";
import { SkillViews } from "./skill-views";

export default function SkillList() {
  const t = useText();
  const propose = useProposing();
  const create = (
    <MainAction route={propose ? "POST /proposals" : "POST /skills"} to="/skills/new">
      {propose ? t("skills.propose") : t("skills.create")}
    </MainAction>
  );
  return (
    <Page title={t("skills.title")} lead={t("skills.lead")} actions={create}>
      <SkillViews />
      <ResourceTable<SkillSummary>
        list="/skills"
        search={t("skills.search")}
        defaultSort="title"
        rowId={({ id }) => id}
        rowName={({ title }) => title}
        rowTo={({ id }) => screenPath("skills", id)}
        empty={{ title: t("skills.empty.title"), text: t("skills.empty.text"), action: create }}
        columns={[
          {
            id: "title",
            header: t("skills.columns.title"),
            sort: "title",
            cell: ({ id, title, publishedId, published }) => (
              <>
                <Link to={screenPath("skills", id)}>{title}</Link>{" "}
                {!published && <SkillState published={published} />}
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
            header: t("skills.columns.scopes"),
            width: "34%",
            cell: ({ requiredScopes }) => <Scopes keys={requiredScopes} most={3} />,
          },
          {
            id: "visibility",
            header: t("skills.columns.visibility"),
            width: "10rem",
            secondary: true,
            cell: ({ visibility }) =>
              visibility === "DEFAULT" ? t("skills.everybody") : t("skills.onlyAllowed"),
          },
          timeColumn(
            "changed",
            t("skills.columns.changed"),
            "9rem",
            ({ updatedAt }) => updatedAt,
            "updatedAt",
          ),
        ]}
      />
    </Page>
  );
}
