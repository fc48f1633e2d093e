import { ActionIcon, TextInput } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useText, withTexts } from "../text/text";
import { Icon } from "./icon";
import { later } from "./later";
import type { Suggestible } from "./resource-table-props";
import type { SuggestionsHandle } from "./search-suggestions";

const Suggestions = later(withTexts(["views"], () => import("./search-suggestions")));

/** Searches when typing pauses, and suggests filters of the list. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggests?: readonly Suggestible[] | undefined;
}) {
  const { label, suggests } = props;
  const t = useText();
  const { text, change, clear } = useDebouncedText(props);
  // Open from the first key until a suggestion is chosen, Escape is pressed or the field loses the focus.
  const [open, setOpen] = useState(false);
  const [handle, setHandle] = useState<SuggestionsHandle>();
  const close = () => {
    setOpen(false);
    setHandle(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "Escape") close();
    else if (handle?.onKey(event.key) !== true) return;
    event.preventDefault();
  };
  return (
    <div
      className="table-search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) close();
      }}
    >
      <TextInput
        type="search"
        data-list-search
        aria-label={label}
        placeholder={label}
        leftSection={<Icon name="search" />}
        value={text}
        onChange={(event) => {
          setOpen(true);
          change(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        {...(suggests !== undefined && comboboxOf(handle))}
        rightSection={
          text !== "" && (
            <ActionIcon size="sm" aria-label={t("parts.table.clear")} onClick={() => change("")}>
              <Icon name="close" size={12} />
            </ActionIcon>
          )
        }
      />
      {suggests !== undefined && open && text.trim() !== "" && (
        <Suggestions
          text={text}
          kinds={suggests}
          onHandle={setHandle}
          onChosen={() => {
            clear();
            close();
          }}
        />
      )}
    </div>
  );
}

/** Text that is passed on when typing pauses, and follows the value unless it came from here. */
function useDebouncedText({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next.trim();
      onChange(next.trim());
    }, 200);
  };
  /** Empties the field without a search. */
  const clear = () => {
    clearTimeout(timer.current);
    sent.current = "";
    setText("");
  };
  return { text, change, clear };
}

function comboboxOf(handle: SuggestionsHandle | undefined) {
  return {
    role: "combobox",
    "aria-expanded": handle !== undefined,
    "aria-autocomplete": "list" as const,
    ...(handle !== undefined && { "aria-controls": handle.listId }),
    ...(handle?.activeId !== undefined && { "aria-activedescendant": handle.activeId }),
  };
}
