import type { Group, GroupProvider } from "@admin/groups";
import { useState } from "react";
import { useForget, useItem, useList } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, useParam, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { VerdictBox } from "../../parts/verdict-box";
import { Scopes, Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { DirectoryCheck } from "./directory-check";
import { GroupProviderFields } from "./group-provider-fields";
import { Origin } from "./group-provider-list";
import {
  type GroupProviderValues,
  toGroupProviderPatch,
  toGroupProviderValues,
} from "./group-provider-values";

/** As many groups as fit a page that is about more. */
const most = 12;

export default function GroupProviderEdit() {
  const key = useParam("key");
  const answer = useItem<GroupProvider>(apiPath("group-providers", key));
  return (
    <Loaded answer={answer}>
      {(groupProvider) => <Editor key={groupProvider.key} groupProvider={groupProvider} />}
    </Loaded>
  );
}

function Editor({ groupProvider }: { readonly groupProvider: GroupProvider }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const { key, name, type } = groupProvider;
  const form = useEdit<GroupProviderValues, GroupProvider>({
    initial: toGroupProviderValues(groupProvider),
    version: groupProvider.version,
    previews: true,
    send: (values, { version, preview }) =>
      request(apiPath("group-providers", key), {
        method: "PATCH",
        body: toGroupProviderPatch(values),
        version,
        query: { preview: preview || undefined },
      }),
    toValues: toGroupProviderValues,
    onSaved: () => forget("/group-providers", "/groups", "/users", "/explain"),
  });
  return (
    <Page
      title={name}
      lead={
        type !== "directory" ? (
          <>
            <Identifier>{key}</Identifier>: <Origin groupProvider={groupProvider} />
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
          <ActionButton
            route="DELETE /group-providers/{key}"
            variant="default"
            onClick={() => setDeleting(true)}
          >
            {t("groups.delete")}
          </ActionButton>
        </>
      }
    >
      <EditForm
        route="PATCH /group-providers/{key}"
        form={form}
        submitLabel={t("parts.save")}
        labels="groups.fields"
        secrets={["secret"]}
      >
        <GroupProviderFields form={form} hasSecret={groupProvider.hasSecret} />
      </EditForm>
      {type === "directory" && (
        <IfMay route="POST /group-providers/checks">
          <DirectoryCheck values={form.values} stored={key} />
        </IfMay>
      )}
      <GroupsOfProvider groupProvider={groupProvider} />
      {deleting && <DeleteGroupProvider groupProvider={groupProvider} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function GroupsOfProvider({ groupProvider }: { readonly groupProvider: GroupProvider }) {
  const t = useText();
  const { key, assignments, roleScopes } = groupProvider;
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
      {roleScopes.length > 0 && <RoleNote scopes={roleScopes} />}
      {groups.length === 0 ? (
        <p className="muted">{t("groups.noGroups")}</p>
      ) : (
        <ul className="plain-list">
          {groups.map((group) => (
            <li key={group.key}>
              <Link to={withQuery("/assignments", { group: `${key}:${group.key}` })}>{group.key}</Link>{" "}
              <Scopes keys={group.roleScopes} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Says that groups of the provider give roles at this administration. */
function RoleNote({ scopes }: { readonly scopes: readonly string[] }) {
  const t = useText();
  return (
    <VerdictBox state="warning" title={t("groups.givesRoles")}>
      <Scopes keys={scopes} />
    </VerdictBox>
  );
}

function DeleteGroupProvider({
  groupProvider,
  onClose,
}: {
  readonly groupProvider: GroupProvider;
  readonly onClose: () => void;
}) {
  const t = useText();
  return (
    <DeleteObject
      list="group-providers"
      object={groupProvider}
      texts="groups"
      affects={["/identity-providers", "/groups"]}
      onClose={onClose}
    >
      <p>{t("groups.deleteText")}</p>
    </DeleteObject>
  );
}
