import type { SkillAudience } from "@admin/skills";
import { withQuery } from "../../address/links";
import { apiPath } from "../../api/request";
import { Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { useText } from "../../text/text";
import { PeopleList, PersonLink, usePeople } from "../objects/people-list";

/** Who can see a skill, or could see a draft: how many people, by which permissions, and one by one. */
export function Audience({ id, published }: { readonly id: string; readonly published: boolean }) {
  const t = useText();
  const list = usePeople<SkillAudience>(apiPath("skills", id, "audience"));
  const { people = 0, scopes = [], groups = [] } = list.first ?? {};
  return (
    <Section
      title={published ? t("skills.audience.title") : t("skills.audience.draftTitle")}
      {...(list.first !== undefined && {
        lead: t("skills.audience.people", { count: people, state: published ? "published" : "draft" }),
        actions: people === 0 && (
          <LinkButton route="POST /assignments/bulk" to={withQuery("/assignments/new", { scope: scopes })}>
            {t("skills.audience.grant")}
          </LinkButton>
        ),
      })}
    >
      <div className="audience">
        {list.first !== undefined && (
          <p>{t("skills.audience.needs", { scopes: <Scopes keys={scopes} /> })}</p>
        )}
        {groups.length > 0 && (
          <p>{t("access.groups", { groups: groups.map(({ name }) => name).join(", ") })}</p>
        )}
        <PeopleList
          list={list}
          loading={t("skills.audience.loading")}
          titleOf={(person) => <PersonLink person={person} />}
          detailOf={(person) =>
            person.id === null ? t("skills.audience.neverSignedIn") : person.name !== null && person.email
          }
        />
      </div>
    </Section>
  );
}
