import type { Client } from "@admin/clients";
import type { Group } from "@admin/groups";
import type { User } from "@admin/people";
import type { Resource } from "@admin/resources";
import type { Scope } from "@admin/scopes";
import { useId, useLayoutEffect, useState } from "react";
import { useSearch } from "../address/links";
import { useText } from "../text/text";
import { personName } from "./person";
import type { Suggestible } from "./resource-table-props";
import { useSuggestions } from "./suggestions";

/** Connects the suggestions with their field. */
export interface SuggestionsHandle {
  readonly listId: string;
  readonly activeId: string | undefined;
  /** Returns whether the suggestions handled the key. */
  readonly onKey: (key: string) => boolean;
}

/** Suggestions of each kind; the list itself shows more. */
const most = 4;

interface Option {
  readonly kind: Suggestible;
  /** The value of the filter. */
  readonly value: string;
  readonly title: string;
  readonly detail: string;
}

/** Filters instead of a search for the text: a listbox below the field, which keeps the focus. */
export default function SearchSuggestions(props: {
  readonly text: string;
  readonly kinds: readonly Suggestible[];
  /** Called whenever the handle changes; `undefined` while there are no suggestions. */
  readonly onHandle: (handle: SuggestionsHandle | undefined) => void;
  readonly onChosen: () => void;
}) {
  const { text, kinds, onHandle, onChosen } = props;
  const t = useText();
  const id = useId();
  const [, setSearch] = useSearch();
  const { options, waiting } = useOptions(text, kinds);
  // By name, because later results may be inserted before it.
  const [activeName, setActive] = useState<string>();
  const found = options.findIndex((option) => nameOf(option) === activeName);
  const active = found === -1 ? undefined : found;
  const choose = ({ kind, value }: Option) => {
    setSearch({ q: undefined, [kind]: value });
    onChosen();
  };
  const onKey = (key: string): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) {
      // One position more than options: there Enter searches for the text.
      const places = options.length + 1;
      const next = ((active ?? options.length) + step + places) % places;
      const option = options[next];
      setActive(option && nameOf(option));
      return true;
    }
    const option = key === "Enter" && active !== undefined ? options[active] : undefined;
    if (option !== undefined) choose(option);
    return option !== undefined;
  };
  const optionId = (index: number) => `${id}-${index}`;
  const shown = options.map(nameOf).join("\n");
  // A layout effect, so that the next key already sees this choice.
  useLayoutEffect(() => {
    const activeId = active === undefined ? undefined : optionId(active);
    onHandle(shown === "" ? undefined : { listId: id, activeId, onKey });
    // The rest follows from these.
  }, [active, shown]);
  return (
    <>
      <span className="visually-hidden" role="status">
        {!waiting && t("views.suggested", { count: options.length })}
      </span>
      {options.length > 0 && (
        <ul className="suggestions" role="listbox" id={id} aria-label={t("views.suggestions")}>
          {options.map((option, index) => (
            <li
              key={nameOf(option)}
              id={optionId(index)}
              role="option"
              aria-selected={index === active}
              // Before the field loses the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              <span className="muted">{t(`views.kinds.${option.kind}`)}</span>
              <span>
                {option.title}
                {option.detail !== "" && <span className="muted"> {option.detail}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function nameOf({ kind, value }: Option): string {
  return `${kind} ${value}`;
}

function useOptions(
  text: string,
  kinds: readonly Suggestible[],
): { readonly options: readonly Option[]; readonly waiting: boolean } {
  const asks = (kind: Suggestible) => ({ enabled: kinds.includes(kind) });
  const few = { limit: most };
  const scopes = useSuggestions<Scope>("/scopes", text, few, asks("scope"));
  const groups = useSuggestions<Group>("/groups", text, few, asks("group"));
  const people = useSuggestions<User>("/users", text, few, {
    enabled: kinds.includes("email") || kinds.includes("user"),
  });
  const clients = useSuggestions<Client>("/clients", text, few, asks("client"));
  const services = useSuggestions<Resource>("/resources", text, few, asks("service"));
  const found: Readonly<Record<Suggestible, readonly Omit<Option, "kind">[]>> = {
    scope: scopes.items.map(({ key, description }) => ({ value: key, title: key, detail: description })),
    group: groups.items.map(({ key, provider }) => ({
      value: `${provider.key}:${key}`,
      title: key,
      detail: provider.name,
    })),
    email: people.items.flatMap(({ email, name }) =>
      email === null ? [] : [{ value: email, title: name ?? email, detail: name === null ? "" : email }],
    ),
    user: people.items.map((person) => ({
      value: person.id,
      title: personName(person),
      detail: person.name === null ? "" : (person.email ?? ""),
    })),
    client: clients.items.map(({ id, name }) => ({ value: id, title: name, detail: id })),
    service: services.items.map(({ key, name }) => ({ value: key, title: name, detail: key })),
  };
  return {
    options: kinds.flatMap((kind) => found[kind].map((option) => ({ ...option, kind }))),
    waiting: [scopes, groups, people, clients, services].some((list) => list.waiting),
  };
}
