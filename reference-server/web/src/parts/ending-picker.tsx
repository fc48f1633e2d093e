import { TextInput } from "@mantine/core";
import { useText } from "../text/text";
import { Select } from "./fields";
import { type Ending, lengths } from "./ending";

/** An hour, a day, until a date or for good. */
export function EndingPicker(props: {
  readonly value: Ending;
  readonly onChange: (ending: Ending) => void;
  readonly error: string | undefined;
}) {
  const { value, onChange, error } = props;
  const t = useText();
  return (
    <>
      <Select
        label={t("assignments.ending.label")}
        data={lengths.map((length) => ({ value: length, label: t(`assignments.ending.${length}`) }))}
        value={value.length}
        onChange={(length) => onChange({ ...value, length: lengths.find((one) => one === length) ?? "good" })}
        allowDeselect={false}
        error={value.length === "date" ? undefined : error}
      />
      {value.length === "date" && (
        <TextInput
          type="datetime-local"
          label={t("assignments.ending.until")}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </>
  );
}
