import type { Group, GroupProvider } from "@admin/groups";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem, useList } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, useParam, withQuery } from "../../app/links";
import { useText } from "../../text/text";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { DirectoryCheck } from "./directory-check";
import { SourceFields } from "./source-fields";
import { Origin } from "./source-list";
import { type SourceValues, toSourcePatch, toSourceValues } from "./source-values";

/** As many groups as fit a page that is about more. */
const most = 12;

export default function SourceEdit() {
  const key = useParam("key");
  const answer = useItem<GroupProvider>(apiPath("group-providers", key));
  return <Loaded answer={answer}>{(source) => <Editor key={source.key} source={source} />}</Loaded>;
}

function Editor({ source }: { readonly source: GroupProvider }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const { key, name, type } = source;
  const form = useEdit<SourceValues, GroupProvider>({
    initial: toSourceValues(source),
    version: source.version,
    previews: true,
    send: (values, { version, preview }) =>
      request(apiPath("group-providers", key), {
        method: "PATCH",
        body: toSourcePatch(values),
        version,
        query: { preview: preview || undefined },
      }),
    toValues: toSourceValues,
    onSaved: () => forget("/group-providers", "/groups", "/users", "/explain"),
  });
  return (
    <Page
      title={name}
      lead={
        type === "claim" ? (
          <>
            <Identifier>{key}</Identifier>: <Origin source={source} />
          </>
        ) : (
          <Identifier>{key}</Identifier>
        )
      }
      parent={{ to: "/group-providers", title: t("groups.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          <Button variant="default" onClick={() => setDeleting(true)}>
            {t("groups.delete")}
          </Button>
        </>
      }
    >
      <EditForm form={form} submitLabel={t("parts.save")} labels="groups.fields" secrets={["secret"]}>
        <SourceFields form={form} hasSecret={source.hasSecret} />
      </EditForm>
      {type === "directory" && <DirectoryCheck values={form.values} stored={key} />}
      <GroupsOfSource source={source} />
      {deleting && <DeleteSource source={source} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function GroupsOfSource({ source }: { readonly source: GroupProvider }) {
  const t = useText();
  const { key, assignments } = source;
  const { data } = useList<Group>("/groups", { provider: key, limit: most });
  const groups = data?.pages[0]?.items ?? [];
  return (
    <Section
      title={t("groups.knownOf")}
      lead={t("groups.assignments", { count: assignments })}
      actions={
        <LinkButton to={withQuery("/group-providers", { view: "groups", provider: key })}>
          {t("groups.showKnown")}
        </LinkButton>
      }
    >
      {groups.length === 0 ? (
        <p className="muted">{t("groups.noGroups")}</p>
      ) : (
        <ul className="plain-list">
          {groups.map((group) => (
            <li key={group.key}>
              <Link to={withQuery("/assignments", { group: `${key}:${group.key}` })}>{group.key}</Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function DeleteSource({ source, onClose }: { readonly source: GroupProvider; readonly onClose: () => void }) {
  const t = useText();
  return (
    <DeleteObject
      list="group-providers"
      object={source}
      texts="groups"
      affects={["/identity-providers", "/groups"]}
      onClose={onClose}
    >
      <p>{t("groups.deleteText")}</p>
    </DeleteObject>
  );
}
