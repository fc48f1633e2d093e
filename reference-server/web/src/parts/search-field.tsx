import { ActionIcon, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useText } from "../text/text";
import { Icon } from "./icon";

/** Asks the API when typing pauses. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { label, value, onChange } = props;
  const t = useText();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
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
  return (
    <TextInput
      className="table-search"
      type="search"
      data-list-search
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      rightSection={
        text !== "" && (
          <ActionIcon size="sm" aria-label={t("parts.table.clear")} onClick={() => change("")}>
            <Icon name="close" size={12} />
          </ActionIcon>
        )
      }
    />
  );
}
