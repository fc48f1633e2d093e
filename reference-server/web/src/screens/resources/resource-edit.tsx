import type { Resource } from "@admin/resources";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useParam } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { DeleteObject } from "../../parts/delete-object";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { HistoryLink, Page } from "../../parts/page";
import { useEdit } from "../../parts/use-edit";
import { HealthNotice } from "../usage/health";
import { StopButton, StopNotice } from "../stops/stop-of";
import { UsageOf } from "../usage/usage-of";
import { AccessTo, HistoryOf } from "../objects/object-sections";
import { RulesSection } from "../rules/rules-section";
import { ServiceCode } from "./service-code";
import { CheckAgain } from "./inspection";
import {
  BuiltInFields,
  fromResourceValues,
  ResourceFields,
  type ResourceValues,
  toResourceValues,
} from "./resource-fields";

export default function ResourceEdit() {
  const key = useParam("key");
  const answer = useItem<Resource>(apiPath("resources", key));
  return <Loaded answer={answer}>{(resource) => <Editor key={resource.key} resource={resource} />}</Loaded>;
}

const changes = ["resource.created", "resource.changed", "resource.removed", "rules.changed"];

function Editor({ resource }: { readonly resource: Resource }) {
  const t = useText();
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const subject = { kind: "service", service: { id: resource.key, name: resource.name } } as const;
  const path = apiPath("resources", resource.key);
  const form = useEdit<ResourceValues, Resource>({
    initial: toResourceValues(resource),
    version: resource.version,
    previews: true,
    send: (values, { version, preview }) => {
      const { key: _key, ...all } = fromResourceValues(values);
      const { name, enabled, allowsBearer } = all;
      const body = resource.builtIn ? { name, enabled, allowsBearer } : all;
      return request(path, { method: "PATCH", body, version, query: { preview: preview || undefined } });
    },
    toValues: toResourceValues,
    onSaved: () => forget("/resources", "/scopes"),
  });
  return (
    <Page
      title={resource.name}
      lead={<Identifier>{resource.key}</Identifier>}
      parent={{ to: "/resources", title: t("resources.title") }}
      narrow
      actions={
        <>
          <HistoryLink subject={resource.key} />
          <StopButton subject={subject} label={t("stops.stop")} />
          {!resource.builtIn && (
            <ActionButton route="DELETE /resources/{key}" variant="default" onClick={() => setDeleting(true)}>
              {t("resources.delete")}
            </ActionButton>
          )}
        </>
      }
    >
      <StopNotice subject={subject} />
      {resource.enabled && <HealthNotice type="service" id={resource.key} />}
      <EditForm
        route="PATCH /resources/{key}"
        form={form}
        submitLabel={t("parts.save")}
        labels="resources.fields"
      >
        {resource.builtIn ? <BuiltInFields form={form} /> : <ResourceFields form={form} />}
      </EditForm>
      {!resource.builtIn && <RulesSection list="resources" object={resource} />}
      {/* What was found was compared with what was stored then. */}
      {!resource.builtIn && (
        <IfMay route="POST /resources/inspections">
          <CheckAgain key={resource.version} resource={resource} />
        </IfMay>
      )}
      {!resource.builtIn && <ServiceCode service={resource} />}
      <AccessTo subject={{ list: "resources", key: resource.key }} />
      <UsageOf subject={{ service: resource.key }} />
      <HistoryOf query={{ q: resource.key, type: changes }} />
      {deleting && <DeleteResource resource={resource} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function DeleteResource({
  resource,
  onClose,
}: {
  readonly resource: Resource;
  readonly onClose: () => void;
}) {
  const t = useText();
  return (
    <DeleteObject
      list="resources"
      object={resource}
      texts="resources"
      affects={["/scopes"]}
      onClose={onClose}
    >
      <p>{t("resources.deleteText")}</p>
    </DeleteObject>
  );
}
