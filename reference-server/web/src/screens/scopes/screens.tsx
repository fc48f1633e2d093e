import type { CreateScope, Scope as ScopeItem } from "@admin/scopes";
import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useGo, useParam, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { Dialog } from "../../parts/dialog";
import { EditForm } from "../../parts/edit-form";
import { Scope } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, MainAction, Page, Section } from "../../parts/page";
import { countColumn } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { useEdit } from "../../parts/use-edit";
import { AccessTo, HistoryOf } from "../objects/object-sections";
import { DenialsOf } from "../usage/usage-of";

export function ScopeList() {
  const t = useText();
  const create = (
    <MainAction route="POST /scopes" to="/scopes/new">
      {t("scopes.create")}
    </MainAction>
  );
  return (
    <Page title={t("scopes.title")} lead={t("scopes.lead")} actions={create}>
      <ResourceTable<ScopeItem>
        list="/scopes"
        search={t("scopes.search")}
        defaultSort="key"
        rowId={({ key }) => key}
        rowName={({ key }) => key}
        rowTo={({ key }) => screenPath("scopes", key)}
        empty={{ title: t("scopes.empty.title"), text: t("scopes.empty.text"), action: create }}
        columns={[
          {
            id: "key",
            header: t("scopes.columns.key"),
            sort: "key",
            width: "var(--scope-column)",
            cell: ({ key }) => (
              <Link to={screenPath("scopes", key)}>
                <Scope>{key}</Scope>
              </Link>
            ),
          },
          {
            id: "description",
            header: t("scopes.columns.description"),
            cell: ({ description, system }) => (
              <>
                {description}
                {system && <div className="muted">{t("scopes.system")}</div>}
              </>
            ),
          },
          countColumn(
            "resources",
            t("scopes.columns.resources"),
            "7rem",
            ({ resources }) => resources.length,
          ),
          countColumn(
            "assignments",
            t("scopes.columns.assignments"),
            "8rem",
            ({ assignments }) => assignments,
          ),
        ]}
      />
    </Page>
  );
}

export function ScopeCreate() {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const form = useEdit<CreateScope, ScopeItem>({
    initial: { key: "", description: "" },
    previews: "beside",
    send: (body, { preview }) =>
      request<ScopeItem>("/scopes", { method: "POST", body, query: { preview: preview || undefined } }),
    onSaved: async () => {
      await forget("/scopes");
      go(screenPath("scopes"), { replace: true });
    },
  });
  return (
    <Page title={t("scopes.createTitle")} parent={{ to: "/scopes", title: t("scopes.title") }} narrow>
      <EditForm
        route="POST /scopes"
        form={form}
        submitLabel={t("scopes.createSubmit")}
        cancelTo="/scopes"
        labels="scopes"
        creates
      >
        <TextInput
          {...form.field("key")}
          label={t("scopes.key")}
          description={t("scopes.keyHelp")}
          placeholder="contracts:read"
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <Textarea
          {...form.field("description")}
          label={t("scopes.description")}
          description={t("scopes.descriptionHelp")}
          rows={2}
        />
      </EditForm>
    </Page>
  );
}

/** Events of a permission and of its assignments. */
const changes = [
  "scope.created",
  "scope.changed",
  "scope.removed",
  "assignment.created",
  "assignment.removed",
  "assignment.expired",
];

export function ScopeEdit() {
  const key = useParam("key");
  const answer = useItem<ScopeItem>(apiPath("scopes", key));
  return <Loaded answer={answer}>{(scope) => <Editor key={scope.key} scope={scope} />}</Loaded>;
}

function Editor({ scope }: { readonly scope: ScopeItem }) {
  const t = useText();
  const [deleting, setDeleting] = useState(false);
  const { key, system } = scope;
  const used = scope.resources.length + scope.assignments > 0;
  return (
    <Page
      title={key}
      parent={{ to: "/scopes", title: t("scopes.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          {!system && (
            <ActionButton route="DELETE /scopes/{key}" variant="default" onClick={() => setDeleting(true)}>
              {t("scopes.delete")}
            </ActionButton>
          )}
        </>
      }
    >
      {system ? <SystemScope scope={scope} /> : <ScopeForm scope={scope} />}
      <Section title={t("scopes.usedBy")}>
        {scope.resources.length === 0 ? (
          <p className="muted">{t("scopes.usedByNone")}</p>
        ) : (
          <ul className="plain-list">
            {scope.resources.map((resource) => (
              <li key={resource}>
                <Link to={screenPath("resources", resource)}>{resource}</Link>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section
        title={t("scopes.assignments", { count: scope.assignments })}
        actions={
          <LinkButton to={withQuery("/assignments", { scope: key })}>
            {t("scopes.showAssignments")}
          </LinkButton>
        }
      >
        {undefined}
      </Section>
      <AccessTo subject={{ list: "scopes", key }} />
      <DenialsOf scope={key} />
      <HistoryOf query={{ q: key, type: changes }} />
      {deleting && used && (
        <Dialog title={t("scopes.inUseTitle", { key })} onClose={() => setDeleting(false)}>
          <p>{t("scopes.inUseText")}</p>
        </Dialog>
      )}
      {deleting && !used && <DeleteScope scope={scope} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function SystemScope({ scope }: { readonly scope: ScopeItem }) {
  const t = useText();
  return (
    <div className="stack">
      <p>{scope.description}</p>
      <p className="muted">{t("scopes.systemHelp")}</p>
    </div>
  );
}

function ScopeForm({ scope }: { readonly scope: ScopeItem }) {
  const t = useText();
  const forget = useForget();
  const path = apiPath("scopes", scope.key);
  const form = useEdit<{ description: string }, ScopeItem>({
    initial: { description: scope.description },
    version: scope.version,
    previews: true,
    send: (body, { version, preview }) =>
      request(path, { method: "PATCH", body, version, query: { preview: preview || undefined } }),
    toValues: ({ description }) => ({ description }),
    undoable: true,
    onSaved: () => forget("/scopes"),
  });
  return (
    <EditForm route="PATCH /scopes/{key}" form={form} submitLabel={t("parts.save")} labels="scopes">
      <Textarea
        {...form.field("description")}
        label={t("scopes.description")}
        description={t("scopes.descriptionHelp")}
        rows={2}
      />
    </EditForm>
  );
}

function DeleteScope({ scope, onClose }: { readonly scope: ScopeItem; readonly onClose: () => void }) {
  const t = useText();
  return (
    <DeleteObject
      list="scopes"
      object={{ key: scope.key, name: scope.key, version: scope.version }}
      texts="scopes"
      affects={["/assignments"]}
      onClose={onClose}
    >
      <p>
        <Scope>{scope.key}</Scope> {scope.description}
      </p>
      <p>{t("scopes.deleteText")}</p>
    </DeleteObject>
  );
}
