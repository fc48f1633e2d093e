import type { Scope as ScopeItem } from "@admin/scopes";
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useParam, withQuery } from "../../app/links";
import { useText } from "../../text/text";
import { DeleteObject } from "../../parts/delete-object";
import { Dialog } from "../../parts/dialog";
import { EditForm } from "../../parts/edit-form";
import { Scope } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";

export default function ScopeEdit() {
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
            <Button variant="default" onClick={() => setDeleting(true)}>
              {t("scopes.delete")}
            </Button>
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
    send: (body, { version }) => request(path, { method: "PATCH", body, version }),
    toValues: ({ description }) => ({ description }),
    onSaved: () => forget("/scopes"),
  });
  return (
    <EditForm form={form} submitLabel={t("parts.save")} labels="scopes">
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
      hasImpact={false}
      onClose={onClose}
    >
      <p>
        <Scope>{scope.key}</Scope> {scope.description}
      </p>
      <p>{t("scopes.deleteText")}</p>
    </DeleteObject>
  );
}
