import type { UserDetail } from "@admin/people";
import { useSearch } from "../../address/links";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { FilterChip } from "../../parts/filters";
import { personName } from "../../parts/person";
import { useText } from "../../text/text";

/** Shows that a list is limited to one person; a click removes that. */
export function PersonChip() {
  const t = useText();
  const [search] = useSearch();
  const id = search.get("user");
  const { data } = useItem<UserDetail>(apiPath("users", id ?? ""), { enabled: id !== null });
  if (id === null) return undefined;
  const name = data === undefined ? "…" : personName(data);
  return <FilterChip name="user" label={t("sessions.onlyPerson", { name })} />;
}
