import type { SkillAudience } from "@admin/skills";
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useList } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Icon } from "../../parts/icon";
import { Breakable, Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";

type Member = SkillAudience["items"][number];

/** From how many people on a search helps. */
const searchable = 10;

/** Who can see a skill now, or, of a draft, could: how many, by which permissions, and one by one. */
export function Audience({ id, published }: { readonly id: string; readonly published: boolean }) {
  const t = useText();
  const describe = useDescribeError();
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 200);
  const answer = useList<Member>(apiPath("skills", id, "audience"), { q, limit: 20 });
  // Every page says the same about all of them.
  const first = answer.data?.pages[0] as SkillAudience | undefined;
  if (first === undefined) {
    return (
      <Section title={published ? t("skills.audience.title") : t("skills.audience.draftTitle")}>
        <p className="muted" role="status">
          {answer.isError ? describe(answer.error) : t("skills.audience.loading")}
        </p>
      </Section>
    );
  }
  const { people, scopes, groups } = first;
  const members = answer.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title={published ? t("skills.audience.title") : t("skills.audience.draftTitle")}
      lead={t("skills.audience.people", { count: people, state: published ? "published" : "draft" })}
      actions={
        people === 0 && (
          <LinkButton to={withQuery("/assignments/new", { scope: scopes })}>
            {t("skills.audience.grant")}
          </LinkButton>
        )
      }
    >
      <div className="audience">
        <p>{t("skills.audience.needs", { scopes: <Scopes keys={scopes} /> })}</p>
        {groups.length > 0 && (
          <p>{t("skills.audience.groups", { groups: groups.map(({ name }) => name).join(", ") })}</p>
        )}
        {people >= searchable && (
          <TextInput
            type="search"
            aria-label={t("skills.audience.search")}
            placeholder={t("skills.audience.search")}
            leftSection={<Icon name="search" />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {people > 0 && members.length === 0 && answer.isSuccess && (
          <p className="muted">{t("skills.audience.nothing", { query: q })}</p>
        )}
        <RecordRows
          rows={members.map((member) => ({
            id: member.email,
            title: <MemberName member={member} />,
            detail:
              member.id === null ? t("skills.audience.neverSignedIn") : member.name !== null && member.email,
          }))}
        />
        {answer.hasNextPage && (
          <div>
            <Button
              variant="default"
              loading={answer.isFetchingNextPage}
              onClick={() => void answer.fetchNextPage()}
            >
              {t("skills.audience.more")}
            </Button>
          </div>
        )}
      </div>
    </Section>
  );
}

function MemberName({ member: { id, email, name } }: { readonly member: Member }) {
  const text = <Breakable>{name ?? email}</Breakable>;
  return id === null ? text : <Link to={screenPath("users", id)}>{text}</Link>;
}
