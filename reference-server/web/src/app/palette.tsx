import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { ListPage } from "../api/queries";
import { request } from "../api/request";
import { type Text, useText } from "../text/text";
import { Dialog } from "../parts/dialog";
import { Icon, type IconName } from "../parts/icon";
import { useMay } from "../api/session";
import type { Area } from "../screens/area";
import { useAreas } from "./use-areas";
import type { Act } from "./acts/act";
import { type ActEntry, useActEntries } from "./acts/use-act-entries";
import { useGo } from "../address/links";

type Entry = ActEntry | NamedEntry;

interface NamedEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly path: string;
}

/** A screen or an action, found without the API. */
interface ConsoleEntry extends NamedEntry {
  readonly words: string;
}

interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Finds screens, actions, acts and objects by a few letters or words. */
export default function Palette(props: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onAct: (act: Act) => void;
  readonly onClose: () => void;
}) {
  const { text, onText, onAct, onClose } = props;
  const t = useText();
  const go = useGo();
  const id = useId();
  const { sections, searching } = useSections(text);
  const all = sections.flatMap(({ entries }) => entries);
  const [chosen, setChosen] = useState(0);
  const current = all[Math.min(chosen, all.length - 1)];

  const open = (entry: Entry) => {
    if ("fill" in entry && entry.fill !== undefined) {
      onText(entry.fill);
      setChosen(0);
      return;
    }
    onClose();
    if ("act" in entry && entry.act !== undefined) onAct(entry.act);
    else if (entry.path !== undefined) go(entry.path);
  };
  const enter = useEnter({ current, searching, onOpen: open });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) {
      event.preventDefault();
      setChosen((Math.min(chosen, all.length - 1) + step + all.length) % all.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      enter(true);
    }
  };

  return (
    <Dialog title={t("palette.title")} onClose={onClose} size="lg" bare>
      <div className="palette">
        <input
          className="palette-input"
          data-autofocus
          role="combobox"
          aria-label={t("palette.title")}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current && `${id}-${current.id}`}
          placeholder={t("palette.placeholder")}
          value={text}
          onChange={(event) => {
            onText(event.currentTarget.value);
            setChosen(0);
            enter(false);
          }}
          onKeyDown={onKeyDown}
          autoComplete="off"
          spellCheck={false}
        />
        <Options id={id} sections={sections} current={current} onOpen={open} />
        {all.length === 0 && (
          <p className="palette-nothing" role="status">
            {searching ? t("palette.searching") : t("palette.nothing", { query: text })}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** Everything that matches the text; acts come first when the text is clearly one. */
function useSections(text: string): { readonly sections: readonly Section[]; readonly searching: boolean } {
  const t = useText();
  const may = useMay();
  const areas = useAreas();
  const found = useObjects(text, areas, t);
  const acts = useActEntries(text);
  const actSection = { title: t("palette.does"), entries: acts.entries };
  const sections: readonly Section[] = [
    ...(acts.isClear ? [actSection] : []),
    { title: t("palette.screens"), entries: matching(screenEntries(areas, t), text) },
    { title: t("palette.actions"), entries: matching(actionEntries(areas, may, t), text) },
    ...(acts.isClear ? [] : [actSection]),
    ...found.sections,
  ];
  return {
    sections: sections.filter(({ entries }) => entries.length > 0),
    searching: found.searching || acts.searching,
  };
}

/**
 * Opens the current entry after Enter. While the API is searching, entries may still belong to the text before, so it
 * waits for the results, except for entries found without the API.
 */
function useEnter(options: {
  readonly current: Entry | undefined;
  readonly searching: boolean;
  readonly onOpen: (entry: Entry) => void;
}): (entered: boolean) => void {
  const { current, searching, onOpen } = options;
  const [isEntered, setEntered] = useState(false);
  const isLate = searching && (current === undefined || !isOfConsole(current));
  useEffect(() => {
    if (!isEntered || isLate) return;
    setEntered(false);
    if (current !== undefined) onOpen(current);
  });
  return setEntered;
}

function Options(props: {
  readonly id: string;
  readonly sections: readonly Section[];
  readonly current: Entry | undefined;
  readonly onOpen: (entry: Entry) => void;
}) {
  const { id, sections, current, onOpen } = props;
  const t = useText();
  return (
    <div
      className="palette-list"
      id={`${id}-list`}
      role="listbox"
      aria-label={t("palette.title")}
      tabIndex={-1}
    >
      {sections.map(({ title, entries }) => (
        <div key={title} role="group" aria-label={title}>
          <div className="palette-title" aria-hidden="true">
            {title}
          </div>
          {entries.map((entry) => (
            <Option
              key={entry.id}
              id={`${id}-${entry.id}`}
              entry={entry}
              selected={entry === current}
              onOpen={() => onOpen(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function Option(props: {
  readonly id: string;
  readonly entry: Entry;
  readonly selected: boolean;
  readonly onOpen: () => void;
}) {
  const { id, entry, selected, onOpen } = props;
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className="palette-option"
      // The field keeps the focus, because typing continues after a suggested beginning.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
      onKeyDown={(event) => event.key === "Enter" && onOpen()}
      ref={(element) => {
        if (selected) element?.scrollIntoView({ block: "nearest" });
      }}
    >
      <Icon name={entry.icon} />
      <span>{entry.title}</span>
      {entry.detail !== undefined && <span className="muted">{entry.detail}</span>}
    </div>
  );
}

function screenEntries(areas: readonly Area[], t: Text): ConsoleEntry[] {
  return areas.map(({ id, icon, path }) => {
    const title = t(`shell.areas.${id}`);
    return { id, icon, title, path, words: `${title} ${t(`palette.areas.${id}.keywords`)} ${id}` };
  });
}

function actionEntries(areas: readonly Area[], may: ReturnType<typeof useMay>, t: Text): ConsoleEntry[] {
  return areas.flatMap(({ id, icon, actions = [] }) =>
    actions.flatMap(({ text, route, path }, index) => {
      if (!may(route)) return [];
      const title = t(text);
      return { id: `${id}-action-${index}`, icon, title, path, words: title };
    }),
  );
}

function isOfConsole(entry: Entry): entry is ConsoleEntry {
  return "words" in entry;
}

/** Entries that contain every word. */
function matching(entries: readonly ConsoleEntry[], text: string): readonly ConsoleEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => words.every((word) => entry.words.toLowerCase().includes(word)));
}

/** Objects that the API finds in the areas with a search, from two letters on. */
function useObjects(
  text: string,
  areas: readonly Area[],
  t: Text,
): { readonly sections: Section[]; readonly searching: boolean } {
  const [q] = useDebouncedValue(text.trim(), 150);
  const searchable = areas.flatMap((area) =>
    area.search === undefined ? [] : [{ area, search: area.search }],
  );
  const answers = useQueries({
    queries: searchable.map(({ search }) => ({
      queryKey: [search.list, { q, limit: 5 }, "palette"],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request<ListPage<never>>(search.list, { query: { q, limit: 5 }, signal }),
      enabled: q.length >= 2,
      retry: false,
    })),
  });
  const sections = searchable.map(({ area, search }, index) => ({
    title: t(`shell.areas.${area.id}`),
    entries: (answers[index]?.data?.items ?? []).map((item, position) => ({
      ...search.toHit(item),
      id: `${area.id}-hit-${position}`,
      icon: area.icon,
    })),
  }));
  return { sections, searching: answers.some(({ isFetching }) => isFetching) || q !== text.trim() };
}
