import { ActionIcon, Button, Input, TextInput } from "@mantine/core";
import { useId } from "react";
import { useText } from "../text/text";
import { Icon } from "./icon";

/** A list of texts, one line each, with what is wrong beside its line. */
export function LinesInput(props: {
  readonly label: string;
  readonly description?: string;
  readonly addLabel: string;
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  /** About the whole list. */
  readonly error?: string | undefined;
  readonly errorOf: (index: number) => string | undefined;
}) {
  const { label, description, addLabel, value, onChange, error, errorOf } = props;
  const t = useText();
  const id = useId();
  const lines = value.length === 0 ? [""] : value;
  const lineErrors = lines.map((_, index) => errorOf(index));
  const replace = (index: number, text: string) =>
    onChange(lines.map((line, at) => (at === index ? text : line)));
  return (
    <fieldset className="lines" aria-describedby={`${id}-help`}>
      <legend>
        <Input.Label component="span">{label}</Input.Label>
      </legend>
      {description !== undefined && <Input.Description id={`${id}-help`}>{description}</Input.Description>}
      {lines.map((line, index) => (
        <TextInput
          key={index}
          aria-label={t("parts.lines.line", { label, number: index + 1 })}
          value={line}
          error={lineErrors[index]}
          onChange={(event) => replace(index, event.currentTarget.value)}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          rightSection={
            lines.length > 1 && (
              <ActionIcon
                size="sm"
                aria-label={t("parts.lines.remove", { label, number: index + 1 })}
                onClick={() => onChange(lines.filter((_, at) => at !== index))}
              >
                <Icon name="close" size={12} />
              </ActionIcon>
            )
          }
        />
      ))}
      {error !== undefined && lineErrors.every((one) => one === undefined) && (
        <Input.Error>{error}</Input.Error>
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => onChange([...lines, ""])}
      >
        {addLabel}
      </Button>
    </fieldset>
  );
}
