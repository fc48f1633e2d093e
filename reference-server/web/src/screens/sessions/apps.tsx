import type { Grant } from "@admin/sessions";
import type { Client } from "@admin/clients";
import type { Resource } from "@admin/resources";
import { Link, screenPath, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Identifier } from "../../parts/identifier";
import { ObjectPicker, type PickerOption } from "../../parts/object-picker";

/** The API's name for this server's own API where it names services. */
const ownApi = "installation";

/** An app's name and proven host, with its device and the code that the device shows. */
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

/** The service that an app may call. */
export function ServiceName({ service }: Pick<Grant, "service">) {
  const t = useText();
  if (service === null) return t("sessions.ownApi");
  return <Link to={screenPath("resources", service.key)}>{service.name}</Link>;
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

/** A filter for one of many objects; the chosen one is in the address. */
function ObjectFilter(props: {
  readonly name: string;
  readonly label: string;
  readonly list: string;
  readonly toOption: (item: never) => PickerOption;
  readonly fixed?: PickerOption;
}) {
  const { name, label, ...picker } = props;
  const [search, setSearch] = useSearch();
  return (
    <ObjectPicker<never>
      {...picker}
      className="filter-select"
      aria-label={label}
      placeholder={label}
      value={search.get(name)}
      onChange={(next) => setSearch({ [name]: next ?? undefined })}
    />
  );
}
