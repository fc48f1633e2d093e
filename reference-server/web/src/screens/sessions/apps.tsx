import type { Grant } from "@admin/sessions";
import type { Client } from "@admin/clients";
import type { Resource } from "@admin/resources";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Identifier } from "../../parts/identifier";
import { onlyFound, useSuggestions } from "../../parts/suggestions";
import { Select } from "../../parts/fields";

/** As the API calls the server's own API where it names services. */
const ownApi = "installation";

/** What an app calls itself, where it has proven to come from, and what its device shows as well. */
export function AppName({ grant }: { readonly grant: Grant }) {
  const t = useText();
  const { client, provider, deviceName, shortCode } = grant;
  return (
    <>
      {deviceName !== null && (
        <div className="device-name" title={t("sessions.deviceHelp")}>
          <Breakable>{deviceName}</Breakable>
        </div>
      )}
      <Link to={screenPath("clients", client.id)}>{client.name}</Link>
      {client.host !== null && (
        <div className="muted">
          <Identifier>{client.host}</Identifier>
        </div>
      )}
      {client.source === "dynamic_registration" && <div className="muted">{t("sessions.unproven")}</div>}
      {provider !== null && (
        <div className="muted">{t("sessions.vouchedBy", { provider: provider.name })}</div>
      )}
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

interface Option {
  readonly value: string;
  readonly label: string;
}

/** One app, or all. */
export function ClientFilter() {
  const t = useText();
  return (
    <ObjectFilter
      name="client"
      label={t("sessions.anyClient")}
      list="clients"
      toOption={({ id, name }: Client) => ({ value: id, label: name })}
    />
  );
}

/** One service, this server itself, or all. */
export function ServiceFilter() {
  const t = useText();
  return (
    <ObjectFilter
      name="service"
      label={t("sessions.anyService")}
      list="resources"
      toOption={({ key, name }: Resource) => ({ value: key, label: name })}
      fixed={{ value: ownApi, label: t("sessions.ownApi") }}
    />
  );
}

/** One of many objects, found by typing; which one is in the address. */
function ObjectFilter(props: {
  readonly name: string;
  readonly label: string;
  /** Of the API, without a slash. */
  readonly list: string;
  readonly toOption: (item: never) => Option;
  /** Something to choose that is in no list. */
  readonly fixed?: Option;
}) {
  const { name, label, list, toOption, fixed } = props;
  const t = useText();
  const [search, setSearch] = useSearch();
  const [text, setText] = useState("");
  const value = search.get(name);
  const { data, isPending } = useItem<never>(apiPath(list, value ?? ""), {
    enabled: value !== null && value !== fixed?.value,
  });
  const chosen = data === undefined ? undefined : toOption(data);
  const held = chosen ?? (value === fixed?.value ? fixed : undefined);
  const typed = text === held?.label ? "" : text;
  const { items, waiting } = useSuggestions<never>(`/${list}`, typed);
  const suggested = items.map(toOption);
  if (fixed?.label.toLowerCase().includes(typed.trim().toLowerCase()) === true) suggested.unshift(fixed);
  // Until its name is there, the field keeps the one that was chosen.
  const unnamed = value === null || isPending ? undefined : { value, label: value };
  const keys = suggested.map((option) => option.value);
  const options = new Map<string, Option>();
  for (const option of [fixed, chosen, ...suggested, unnamed]) {
    if (option !== undefined && !options.has(option.value)) options.set(option.value, option);
  }
  return (
    <Select
      className="filter-select"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(next) => setSearch({ [name]: next ?? undefined })}
      data={[...options.values()]}
      searchable
      clearable
      allowDeselect={false}
      searchValue={text}
      onSearchChange={setText}
      filter={({ options: all }) => (typed === "" ? all : onlyFound(all, keys))}
      nothingFoundMessage={t(waiting ? "parts.picker.searching" : "parts.picker.nothing")}
      clearButtonProps={{ "aria-label": t("parts.picker.clear"), "aria-hidden": false, tabIndex: 0 }}
    />
  );
}
