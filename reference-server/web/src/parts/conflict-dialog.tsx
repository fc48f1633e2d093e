import { Button, Group, Text } from "@mantine/core";
import { useText } from "../text/text";
import { Dialog } from "./dialog";
import { useFieldLabel } from "./field-problems";

/** How the conflict dialog shows the values of a form. */
export interface ConflictOptions {
  /** Where the catalogue has the labels of the fields: `connectors.fields`. */
  readonly labels: string;
  /** Fields whose values are hidden. */
  readonly secrets?: readonly string[];
  /** Describes values that are neither text nor a list of texts; `undefined` for all others. */
  readonly describeValue?: ((name: string, value: unknown) => string | undefined) | undefined;
}

/** After another administrator saved first: compares stored and typed values field by field, to choose from. */
export default function ConflictDialog(
  props: ConflictOptions & {
    readonly stored: object;
    readonly mine: object;
    readonly onTakeTheirs: () => void;
    readonly onKeepMine: () => void;
    readonly onClose: () => void;
  },
) {
  const { labels, secrets = [], describeValue, mine, onTakeTheirs, onKeepMine, onClose } = props;
  const t = useText();
  const labelOf = useFieldLabel(labels);
  const stored = new Map<string, unknown>(Object.entries(props.stored));
  const describe = (name: string, value: unknown) =>
    describeValue?.(name, value) ?? show(value, t("parts.conflict.empty"));
  const changed = Object.entries(mine).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(stored.get(name)),
  );
  return (
    <Dialog title={t("parts.conflict.title")} onClose={onClose} size="lg">
      <Text size="sm">{t("parts.conflict.text")}</Text>
      {changed.length === 0 ? (
        <p className="muted">{t("parts.conflict.same")}</p>
      ) : (
        <table className="comparison">
          <thead>
            <tr>
              <th>{t("parts.conflict.field")}</th>
              <th>{t("parts.conflict.theirs")}</th>
              <th>{t("parts.conflict.mine")}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{labelOf(name)}</th>
                <td>{describe(name, stored.get(name))}</td>
                <td>{secrets.includes(name) ? "••••••••" : describe(name, value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Group mt="lg" justify="flex-end" gap="sm">
        <Button variant="default" onClick={onTakeTheirs}>
          {t("parts.conflict.takeTheirs")}
        </Button>
        <Button variant="default" onClick={onKeepMine}>
          {t("parts.conflict.keepMine")}
        </Button>
      </Group>
    </Dialog>
  );
}

function show(value: unknown, empty: string): string {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    return empty;
  }
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
