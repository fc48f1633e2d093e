import type { Scope as ScopeItem } from "@admin/scopes";
import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath, useParam, withQuery } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { DeleteObject } from "../../parts/delete-object";
import { Dialog } from "../../parts/dialog";
import { EditForm } from "../../parts/edit-form";
import { Scope } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, LinkButton, Page, Section } from "../../parts/page";
import { partsMessages } from "../../messages/parts";
import { useEdit } from "../../parts/use-edit";
import { messages } from "./messages";

export default function ScopeEdit() {
  const key = useParam("key");
  const answer = useItem<ScopeItem>(apiPath("scopes", key));
  return <Loaded answer={answer}>{(scope) => <Editor key={scope.key} scope={scope} />}</Loaded>;
}

function Editor({ scope }: { readonly scope: ScopeItem }) {
  const t = useMessages(messages);
  const [deleting, setDeleting] = useState(false);
  const { key, system } = scope;
  const used = scope.resources.length + scope.assignments > 0;
  return (
    <Page
      title={key}
      parent={{ to: "/scopes", title: t.title }}
      narrow
      actions={
        <>
          <HistoryLink subject={key} />
          {!system && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      {system ? <SystemScope scope={scope} /> : <ScopeForm scope={scope} />}
      <Section title={t.usedBy}>
        {scope.resources.length === 0 ? (
          <p className="muted">{t.usedByNone}</p>
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
        title={t.assignments(formatNumber(scope.assignments))}
        actions={<LinkButton to={withQuery("/assignments", { scope: key })}>{t.showAssignments}</LinkButton>}
      >
        {undefined}
      </Section>
      {deleting && used && (
        <Dialog title={t.inUseTitle(key)} onClose={() => setDeleting(false)}>
          <p>{t.inUseText}</p>
        </Dialog>
      )}
      {deleting && !used && <DeleteScope scope={scope} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function SystemScope({ scope }: { readonly scope: ScopeItem }) {
  const t = useMessages(messages);
  return (
    <div className="stack">
      <p>{scope.description}</p>
      <p className="muted">{t.systemHelp}</p>
    </div>
  );
}

function ScopeForm({ scope }: { readonly scope: ScopeItem }) {
  const t = useMessages(messages);
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
    <EditForm
      form={form}
      submitLabel={useMessages(partsMessages).save}
      labels={{ description: t.description }}
    >
      <Textarea
        {...form.field("description")}
        label={t.description}
        description={t.descriptionHelp}
        rows={2}
      />
    </EditForm>
  );
}

function DeleteScope({ scope, onClose }: { readonly scope: ScopeItem; readonly onClose: () => void }) {
  const t = useMessages(messages);
  return (
    <DeleteObject
      list="scopes"
      object={{ key: scope.key, name: scope.key, version: scope.version }}
      words={t}
      affects={["/assignments"]}
      hasImpact={false}
      onClose={onClose}
    >
      <p>
        <Scope>{scope.key}</Scope> {scope.description}
      </p>
      <p>{t.deleteText}</p>
    </DeleteObject>
  );
}
