import type { Session } from "@admin/sessions";
import type { UserDetail } from "@admin/people";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { FilterChip } from "../../parts/filter-chip";
import { Breakable } from "../../parts/identifier";

type Person = Session["user"];

/** What a person is called: the name, else the address, else the id. */
export function personName({ id, name, email }: Person): string {
  return name ?? email ?? id;
}

/** A person in a list, with the way to everything about them. */
export function PersonCell({ person }: { readonly person: Person }) {
  const { id, name, email } = person;
  return (
    <>
      <Link to={screenPath("users", id)}>
        <Breakable>{personName(person)}</Breakable>
      </Link>
      {name !== null && email !== null && (
        <div className="muted">
          <Breakable>{email}</Breakable>
        </div>
      )}
    </>
  );
}

/** Says that the list is about one person only, and removes that. */
export function PersonChip() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const id = search.get("user");
  const { data } = useItem<UserDetail>(apiPath("users", id ?? ""), { enabled: id !== null });
  if (id === null) return undefined;
  return (
    <FilterChip
      label={t("sessions.onlyPerson", { name: data === undefined ? "…" : personName(data) })}
      onRemove={() => setSearch({ user: undefined })}
    />
  );
}
