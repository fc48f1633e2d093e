import { Input, TextInput } from "@mantine/core";
import { useText } from "../../text/text";
import type { Edit } from "../../parts/use-edit";
import type { ConnectorValues } from "./connector-values";

/** Each limit, where the server says what is wrong with it, and its unit. */
const limits = [
  { name: "requestMebibytes", path: "limits.requestBytes", unit: "mebibytes" },
  { name: "responseMebibytes", path: "limits.responseBytes", unit: "mebibytes" },
  { name: "timeoutSeconds", path: "limits.timeoutSeconds", unit: "seconds" },
  { name: "requestsPerMinute", path: "limits.requestsPerMinute", unit: "perMinute" },
] as const;

/** How much, how long and how often. */
export function LimitFields({ form }: { readonly form: Edit<ConnectorValues> }) {
  const t = useText();
  return (
    <fieldset className="lines">
      <legend>
        <Input.Label component="span">{t("connectors.limits")}</Input.Label>
      </legend>
      <Input.Description>{t("connectors.limitsHelp")}</Input.Description>
      <div className="limit-fields">
        {limits.map(({ name, path, unit }) => (
          <TextInput
            key={name}
            {...form.field(name)}
            error={form.errorOf(path)}
            label={t(`connectors.fields.${name}`)}
            type="number"
            step={unit === "mebibytes" ? "any" : 1}
            min={0}
            rightSection={<span className="unit">{t(`connectors.units.${unit}`)}</span>}
            rightSectionWidth="5.2rem"
            rightSectionPointerEvents="none"
          />
        ))}
      </div>
    </fieldset>
  );
}
