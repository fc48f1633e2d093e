import { Button, Group, Text } from "@mantine/core";
import { useText } from "../text/text";
import { Dialog } from "./dialog";
import { useFieldLabel } from "./field-problems";
import type { Edit } from "./use-edit";

/** Describes a value; `undefined` where it can be shown as it is. */
export type DescribeValue<Values> = (name: keyof Values & string, value: unknown) => string | undefined;

/** After another administrator saved first: compares stored and typed values field by field, to choose from. */
export function ConflictDialog<Values extends object>(props: {
  readonly form: Edit<Values>;
  readonly labels: string;
  /** Fields whose values are hidden. */
  readonly secrets?: readonly (keyof Values & string)[];
  /** For values that are neither text nor a list of texts. */
  readonly describeValue?: DescribeValue<Values> | undefined;
}) {
  const { form, secrets = [], describeValue } = props;
  const describe = (name: keyof Values & string, value: Values[keyof Values & string]) =>
    describeValue?.(name, value) ?? show(value, t("parts.conflict.empty"));
  const t = useText();
  const labelOf = useFieldLabel(props.labels);
  if (form.conflict === undefined) return undefined;
  const { stored, mine } = form.conflict;
  const changed = (Object.keys(mine) as (keyof Values & string)[]).filter(
    (name) => JSON.stringify(mine[name]) !== JSON.stringify(stored[name]),
  );
  return (
    <Dialog title={t("parts.conflict.title")} onClose={form.dismiss} size="lg">
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
            {changed.map((name) => (
              <tr key={name}>
                <th scope="row">{labelOf(name)}</th>
                <td>{describe(name, stored[name])}</td>
                <td>{secrets.includes(name) ? "••••••••" : describe(name, mine[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Group mt="lg" justify="flex-end" gap="sm">
        <Button variant="default" onClick={form.takeTheirs}>
          {t("parts.conflict.takeTheirs")}
        </Button>
        <Button variant="default" onClick={() => void form.keepMine()}>
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
