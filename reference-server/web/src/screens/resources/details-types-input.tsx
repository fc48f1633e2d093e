import { JsonInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../text/text";

/** The types of calls that need approval, as the JSON of the registry file: few services have any, and they are written once. */
export function DetailsTypesInput<Item>({
  value,
  onChange,
  error,
  ...texts
}: {
  readonly label: string;
  readonly description: string;
  readonly value: readonly Item[];
  readonly onChange: (value: Item[]) => void;
  readonly error: string | undefined;
}) {
  const t = useText();
  const [written, setWritten] = useState(() =>
    value.length === 0 ? "" : JSON.stringify(value, undefined, 2),
  );
  const read = parse(written);
  return (
    <JsonInput
      {...texts}
      value={written}
      onChange={(text) => {
        setWritten(text);
        const items = parse(text);
        if (items !== undefined) onChange(items as Item[]);
      }}
      error={read === undefined ? t("resources.fields.notJson") : error}
      classNames={{ input: "mono" }}
      autosize
      minRows={2}
      maxRows={24}
      spellCheck={false}
    />
  );
}

/** `undefined`: the text is not a JSON list. Whether its items are right is decided by the server. */
function parse(text: string): unknown[] | undefined {
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}
