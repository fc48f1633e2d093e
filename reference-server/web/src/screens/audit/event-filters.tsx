import type { User } from "@admin/people";
import { Autocomplete, Button, MultiSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { FilterChip } from "../../parts/filter-chip";
import { FilterSelect } from "../../parts/filter-select";
import { EmailPicker, useSuggestions } from "../../parts/pickers";
import { type Filter, fromLocal, outcomes, periods, toLocal, toPeriod, toRange } from "./filter";
import { messages } from "./messages";

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** When, how it ended, what, who, about whom, through which client. */
export function EventFilters({ filter }: { readonly filter: Filter }) {
  const t = useMessages(messages);
  const [, setSearch] = useSearch();
  const { actor, subject, client, type, outcome } = filter;
  const rare = [actor, subject, client].some((value) => value !== undefined) || type.length > 0;
  const [open, setOpen] = useState(rare);
  return (
    <>
      <PeriodFilter filter={filter} />
      <FilterSelect
        label={t.outcome}
        value={outcome ?? null}
        options={outcomes.map((value) => ({ value, label: t.outcomes[value] }))}
        onChange={(next) => setSearch({ outcome: next })}
      />
      <Button variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t.fewerFilters : t.moreFilters}
      </Button>
      <PersonChip id={actor} toLabel={t.byPerson} onRemove={() => setSearch({ actor: undefined })} />
      <PersonChip id={subject} toLabel={t.aboutPerson} onRemove={() => setSearch({ subject: undefined })} />
      {open && (
        <div className="event-filters-more">
          <MultiSelect
            label={t.type}
            {...(type.length === 0 && { placeholder: t.anyType })}
            value={[...type]}
            onChange={(next) => setSearch({ type: next })}
            data={typeOptions(t.types, type)}
            searchable
            clearable
            clearButtonProps={{ "aria-label": t.anyType, "aria-hidden": false, tabIndex: 0 }}
          />
          <Pausing value={withoutId(actor)} onPause={(next) => setSearch({ actor: next })}>
            {(value, onChange) => (
              <EmailPicker label={t.actor} placeholder={t.person} value={value} onChange={onChange} />
            )}
          </Pausing>
          <Pausing value={withoutId(subject)} onPause={(next) => setSearch({ subject: next })}>
            {(value, onChange) => (
              <EmailPicker label={t.subject} placeholder={t.person} value={value} onChange={onChange} />
            )}
          </Pausing>
          <Pausing value={client ?? ""} onPause={(next) => setSearch({ client: next })}>
            {(value, onChange) => <ClientField value={value} onChange={onChange} />}
          </Pausing>
          <p className="muted">{t.searchLag}</p>
        </div>
      )}
    </>
  );
}

/** Whole days that people ask for, or any two moments. */
function PeriodFilter({ filter }: { readonly filter: Filter }) {
  const { period: t } = useMessages(messages);
  const [, setSearch] = useSearch();
  const { from, to } = filter;
  const period = toPeriod(filter);
  const some = from !== undefined || to !== undefined;
  const [chosen, setChosen] = useState(false);
  const custom = (some && period === undefined) || (chosen && period === undefined);
  return (
    <>
      <FilterSelect
        label={t.label}
        value={period ?? (custom ? "custom" : null)}
        options={[...periods, "custom" as const].map((value) => ({ value, label: t[value] }))}
        onChange={(next) => {
          setChosen(next === "custom");
          const known = periods.find((one) => one === next);
          if (known !== undefined) setSearch({ to: undefined, ...toRange(known) });
          else if (next === undefined) setSearch({ from: undefined, to: undefined });
          else setSearch({ from: from ?? toRange("week").from, to: to ?? new Date().toISOString() });
        }}
      />
      {custom && (
        <>
          <Moment label={t.from} value={from} onChange={(next) => setSearch({ from: next })} />
          <Moment label={t.to} value={to} onChange={(next) => setSearch({ to: next })} />
        </>
      )}
    </>
  );
}

function Moment(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { label, value, onChange } = props;
  return (
    <TextInput
      className="event-moment"
      type="datetime-local"
      aria-label={label}
      leftSection={<span className="muted">{label}</span>}
      leftSectionWidth="3rem"
      value={toLocal(value)}
      onChange={(event) => onChange(fromLocal(event.currentTarget.value))}
    />
  );
}

/** A person who came with the address as an id; shown with the name. */
function PersonChip(props: {
  readonly id: string | undefined;
  readonly toLabel: (name: string) => string;
  readonly onRemove: () => void;
}) {
  const { toLabel, onRemove } = props;
  const personId = props.id !== undefined && id.test(props.id) ? props.id : undefined;
  const { data } = useItem<User>(apiPath("users", personId ?? ""), { enabled: personId !== undefined });
  if (personId === undefined) return undefined;
  return <FilterChip label={toLabel(data?.name ?? data?.email ?? personId)} onRemove={onRemove} />;
}

function ClientField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const t = useMessages(messages);
  const { items } = useSuggestions<{ readonly id: string }>("/clients", value);
  return (
    <Autocomplete
      label={t.client}
      placeholder={t.clientPlaceholder}
      value={value}
      onChange={onChange}
      data={items.map((client) => client.id)}
      filter={({ options }) => options}
      openOnFocus={false}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: "mono" }}
    />
  );
}

/** A field of text whose value counts when typing pauses. */
function Pausing(props: {
  readonly value: string;
  readonly onPause: (value: string | undefined) => void;
  readonly children: (value: string, onChange: (value: string) => void) => ReactNode;
}) {
  const { value, onPause, children } = props;
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((next: string) => {
    sent.current = next;
    onPause(next === "" ? undefined : next);
  }, 400);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  return children(text, (next) => {
    setText(next);
    send(next.trim());
  });
}

function withoutId(value: string | undefined): string {
  return value === undefined || id.test(value) ? "" : value;
}

function typeOptions(types: Readonly<Record<string, string>>, chosen: readonly string[]) {
  return [...new Set([...Object.keys(types), ...chosen])].map((value) => ({
    value,
    label: types[value] ?? value,
  }));
}
