import { ActionIcon, TextInput } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useText, withTexts } from "../text/text";
import { Icon } from "./icon";
import { later } from "./later";
import type { Suggestible } from "./resource-table-props";
import type { SuggestionsHandle } from "./search-suggestions";

const Suggestions = later(withTexts(["views"], () => import("./search-suggestions")));

/** Asks the API when typing pauses, and suggests what the list can be limited to. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggests?: readonly Suggestible[] | undefined;
}) {
  const { label, value, onChange, suggests } = props;
  const t = useText();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  // Open from the first key that is typed until something is chosen, Escape, or the field is left.
  const [open, setOpen] = useState(false);
  const [handle, setHandle] = useState<SuggestionsHandle>();
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next.trim();
      onChange(next.trim());
    }, 200);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
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
  const combobox = suggests !== undefined && {
    role: "combobox",
    "aria-expanded": handle !== undefined,
    "aria-autocomplete": "list" as const,
    ...(handle !== undefined && { "aria-controls": handle.listId }),
    ...(handle?.activeId !== undefined && { "aria-activedescendant": handle.activeId }),
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
        {...combobox}
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
            clearTimeout(timer.current);
            sent.current = "";
            setText("");
            close();
          }}
        />
      )}
    </div>
  );
}
