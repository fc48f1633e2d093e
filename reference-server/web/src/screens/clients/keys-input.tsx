import { Button, Input, Textarea } from "@mantine/core";
import { useId } from "react";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { Identifier } from "../../parts/identifier";
import "../../parts/lists.css";
import { MakeKeyPair } from "./key-pair";
import { readKey, splitKeySet } from "./read-keys";

/** The public keys of a client: stored ones in one line each, new ones as pasted. */
export function KeysInput(props: {
  readonly value: readonly string[];
  /** The stored keys, shown in short. */
  readonly stored: readonly string[];
  readonly onChange: (value: string[]) => void;
  readonly error: string | undefined;
  readonly errorOf: (index: number) => string | undefined;
}) {
  const { value, stored, onChange, error, errorOf } = props;
  const t = useText();
  const id = useId();
  const remove = (index: number) => onChange(value.filter((_, at) => at !== index));
  const replace = (index: number, text: string) =>
    onChange(value.flatMap((line, at) => (at === index ? splitKeySet(text) : [line])));
  const known = value.filter((text) => stored.includes(text)).length;
  const lineErrors = value.map((_, index) => errorOf(index));
  return (
    <fieldset className="lines" aria-describedby={`${id}-help`}>
      <legend>
        <Input.Label component="span">{t("clients.fields.keys")}</Input.Label>
      </legend>
      <Input.Description id={`${id}-help`}>{t("clients.fields.keysHelp")}</Input.Description>
      {value.map((text, index) =>
        stored.includes(text) ? (
          <StoredKey
            key={text}
            text={text}
            error={lineErrors[index]}
            {...(value.length > 1 && { onRemove: () => remove(index) })}
          />
        ) : (
          <div key={`new ${index}`} className="key-field">
            <Textarea
              aria-label={t("clients.key.paste", { number: index + 1 })}
              description={t("clients.key.pasteHelp")}
              placeholder={t("clients.key.placeholder")}
              value={text}
              onChange={(event) => replace(index, event.currentTarget.value)}
              error={lineErrors[index]}
              classNames={{ input: "mono" }}
              autosize
              minRows={3}
              maxRows={10}
              autoComplete="off"
              spellCheck={false}
            />
            {value.length > 1 && (
              <Button variant="subtle" size="compact-sm" onClick={() => remove(index)}>
                {t("clients.key.remove")}
              </Button>
            )}
          </div>
        ),
      )}
      {error !== undefined && lineErrors.every((one) => one === undefined) && (
        <Input.Error>{error}</Input.Error>
      )}
      {known > 1 && <Input.Description>{t("clients.key.going")}</Input.Description>}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon name="plus" size={12} />}
        onClick={() => onChange([...value, ""])}
      >
        {t("clients.key.add")}
      </Button>
      <MakeKeyPair onMade={(made) => onChange([...value.filter((line) => line.trim() !== ""), made])} />
    </fieldset>
  );
}

function StoredKey(props: {
  readonly text: string;
  readonly error: string | undefined;
  readonly onRemove?: () => void;
}) {
  const { text, error, onRemove } = props;
  const t = useText();
  const read = readKey(text);
  if (!("jwk" in read)) return undefined;
  const kid = String(read.jwk["kid"]);
  return (
    <div className="stored-key">
      <Icon name="key" />
      <Identifier>{kid}</Identifier>
      <span className="muted">ES256, P-256</span>
      {onRemove !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={onRemove}
          aria-label={t("clients.key.removeNamed", { kid })}
        >
          {t("clients.key.remove")}
        </Button>
      )}
      {error !== undefined && <Input.Error>{error}</Input.Error>}
    </div>
  );
}
