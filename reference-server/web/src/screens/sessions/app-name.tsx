import type { Grant } from "@admin/sessions";
import type { Client } from "@admin/clients";
import type { Resource } from "@admin/resources";
import { Select } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, useSearch } from "../../app/links";
import { useText } from "../../text/text";
import { FilterChip } from "../../parts/filter-chip";
import { Identifier } from "../../parts/identifier";
import { useSuggestions } from "../../parts/pickers";

/** As the API calls the server's own API where it names services. */
const ownApi = "installation";

/** What an app calls itself, where it has proven to come from, and what its device shows as well. */
export function AppName({ grant }: { readonly grant: Grant }) {
  const t = useText();
  const { client, shortCode } = grant;
  return (
    <>
      <Link to={screenPath("clients", client.id)}>{client.name}</Link>
      {client.host !== null && (
        <div className="muted">
          <Identifier>{client.host}</Identifier>
        </div>
      )}
      {client.source === "dynamic_registration" && <div className="muted">{t("sessions.unproven")}</div>}
      {shortCode !== null && (
        <div className="muted" title={t("sessions.codeHelp")}>
          {t("sessions.columns.code")} <Identifier>{shortCode}</Identifier>
        </div>
      )}
    </>
  );
}

/** The service that an app may act at. */
export function ServiceName({ service }: Pick<Grant, "service">) {
  const t = useText();
  if (service === null) return t("sessions.ownApi");
  return <Link to={screenPath("resources", service.key)}>{service.name}</Link>;
}

/** Says that the list is about one app only, and removes that. */
export function ClientChip() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const id = search.get("client");
  const { data } = useItem<Client>(apiPath("clients", id ?? ""), { enabled: id !== null });
  if (id === null) return undefined;
  return (
    <FilterChip
      label={t("sessions.onlyClient", { name: data?.name ?? id })}
      onRemove={() => setSearch({ client: undefined })}
    />
  );
}

/** One service, this server itself, or all. */
export function ServiceFilter() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [text, setText] = useState("");
  const value = search.get("service");
  const { data: chosen } = useItem<Resource>(apiPath("resources", value ?? ""), {
    enabled: value !== null && value !== ownApi,
  });
  const { items } = useSuggestions<Resource>("/resources", text === chosen?.name ? "" : text);
  const options = new Map([[ownApi, t("sessions.ownApi")]]);
  for (const { key, name } of [...(chosen === undefined ? [] : [chosen]), ...items]) options.set(key, name);
  if (value !== null && !options.has(value)) options.set(value, value);
  return (
    <Select
      className="filter-select"
      aria-label={t("sessions.anyService")}
      placeholder={t("sessions.anyService")}
      value={value}
      onChange={(next) => setSearch({ service: next ?? undefined })}
      data={[...options].map(([key, name]) => ({ value: key, label: name }))}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={t("parts.picker.nothing")}
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
    />
  );
}
