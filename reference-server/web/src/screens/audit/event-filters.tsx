import type { Connector } from "@admin/connectors";
import type { User } from "@admin/people";
import { Button, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useSearch } from "../../address/links";
import { useCodes, useText } from "../../text/text";
import { FilterChip, FilterSelect, ListFilter } from "../../parts/filters";
import { EmailPicker } from "../../parts/email-pickers";
import { ObjectPicker } from "../../parts/object-picker";
import { ResourcePicker } from "../../parts/pickers";
import { useSuggestions } from "../../parts/suggestions";
import { useTypeName } from "./event-views";
import { type Filter, fromLocal, outcomes, periods, toLocal, toPeriod, toRange } from "./filter";
import { Autocomplete, MultiSelect } from "../../parts/fields";

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Filters of the audit trail: period, outcome and service, and further ones on demand. */
export function EventFilters({ filter }: { readonly filter: Filter }) {
  const t = useText();
  const [, setSearch] = useSearch();
  const { actor, subject, client, service, connector, type, outcome } = filter;
  const rare = [actor, subject, client, connector].some((value) => value !== undefined) || type.length > 0;
  const [open, setOpen] = useState(rare);
  return (
    <>
      <PeriodFilter filter={filter} />
      <ListFilter
        name="outcome"
        label={t("audit.outcome")}
        options={outcomes.map((value) => [value, t(`audit.outcomes.${value}`)])}
      />
      <div className="event-service">
        <ResourcePicker
          aria-label={t("audit.service")}
          placeholder={t("audit.service")}
          value={service ?? null}
          onChange={(next) => setSearch({ service: next ?? undefined })}
        />
      </div>
      <Button
        variant="default"
        onClick={() => setSearch({ outcome: "denied", ...toRange("yesterday") })}
        aria-pressed={outcome === "denied" && toPeriod(filter) === "yesterday"}
      >
        {t("audit.deniedYesterday")}
      </Button>
      <Button variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t("audit.fewerFilters") : t("audit.moreFilters")}
      </Button>
      <PersonChip name="actor" id={actor} text="audit.byPerson" />
      <PersonChip name="subject" id={subject} text="audit.aboutPerson" />
      {open && <MoreFilters filter={filter} />}
    </>
  );
}

/** Rarely used filters: type, actor, subject, client and connector. */
function MoreFilters({ filter: { type, actor, subject, client, connector } }: { readonly filter: Filter }) {
  const t = useText();
  const [, setSearch] = useSearch();
  const nameOf = useTypeName();
  const types = useCodes("audit.types");
  return (
    <div className="event-filters-more">
      <MultiSelect
        label={t("audit.type")}
        {...(type.length === 0 && { placeholder: t("audit.anyType") })}
        value={[...type]}
        onChange={(next) => setSearch({ type: next })}
        data={[...new Set([...types, ...type])].map((value) => ({ value, label: nameOf(value) }))}
        searchable
        clearable
        clearButtonProps={{ "aria-label": t("audit.anyType"), "aria-hidden": false, tabIndex: 0 }}
      />
      <Pausing value={withoutId(actor)} onPause={(next) => setSearch({ actor: next })}>
        {(value, onChange) => (
          <EmailPicker
            label={t("audit.actor")}
            placeholder={t("audit.person")}
            value={value}
            onChange={onChange}
          />
        )}
      </Pausing>
      <Pausing value={withoutId(subject)} onPause={(next) => setSearch({ subject: next })}>
        {(value, onChange) => (
          <EmailPicker
            label={t("audit.subject")}
            placeholder={t("audit.person")}
            value={value}
            onChange={onChange}
          />
        )}
      </Pausing>
      <Pausing value={client ?? ""} onPause={(next) => setSearch({ client: next })}>
        {(value, onChange) => <ClientField value={value} onChange={onChange} />}
      </Pausing>
      <ObjectPicker
        label={t("audit.connector")}
        placeholder={t("audit.anyConnector")}
        clearLabel={t("audit.anyConnector")}
        list="connectors"
        toOption={({ key, name }: Connector) => ({ value: key, label: name })}
        value={connector ?? null}
        onChange={(next) => setSearch({ connector: next ?? undefined })}
      />
      <p className="muted">{t("audit.searchLag")}</p>
    </div>
  );
}

/** A period of whole days, or any two moments. */
function PeriodFilter({ filter }: { readonly filter: Filter }) {
  const t = useText();
  const [, setSearch] = useSearch();
  const { from, to } = filter;
  const period = toPeriod(filter);
  const some = from !== undefined || to !== undefined;
  const [chosen, setChosen] = useState(false);
  const custom = (some && period === undefined) || (chosen && period === undefined);
  return (
    <>
      <FilterSelect
        label={t("audit.period.label")}
        value={period ?? (custom ? "custom" : null)}
        options={[...periods, "custom" as const].map((value) => [value, t(`audit.period.${value}`)])}
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
          <Moment
            label={t("audit.period.from")}
            value={from}
            onChange={(next) => setSearch({ from: next })}
          />
          <Moment label={t("audit.period.to")} value={to} onChange={(next) => setSearch({ to: next })} />
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

/** A filter for a person by id, shown with the name. */
function PersonChip(props: {
  readonly name: "actor" | "subject";
  readonly id: string | undefined;
  readonly text: "audit.byPerson" | "audit.aboutPerson";
}) {
  const t = useText();
  const personId = props.id !== undefined && id.test(props.id) ? props.id : undefined;
  const { data } = useItem<User>(apiPath("users", personId ?? ""), { enabled: personId !== undefined });
  if (personId === undefined) return undefined;
  return (
    <FilterChip name={props.name} label={t(props.text, { name: data?.name ?? data?.email ?? personId })} />
  );
}

function ClientField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const t = useText();
  const { items } = useSuggestions<{ readonly id: string }>("/clients", value);
  return (
    <Autocomplete
      label={t("audit.client")}
      placeholder={t("audit.clientPlaceholder")}
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

/** A text field that passes on its value when typing pauses. */
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
