import type { IdentityProviderChecks } from "@admin/identity-providers";
import { Button } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { Refusal } from "../../parts/field-problems";
import { Section } from "../../parts/page";
import { CheckList } from "../../parts/check-list";
import { useAction } from "../../parts/use-action";
import { type ProviderValues, toCheck } from "./provider-values";

/** Checks the typed values, saved or not; each check passes or says why not. */
export function ProviderCheck({ values }: { readonly values: ProviderValues }) {
  const t = useText();
  const check = useAction();
  const [result, setResult] = useState<IdentityProviderChecks>();
  const [checked, setChecked] = useState("");
  const body = toCheck(values);
  const asked = JSON.stringify(body);

  const run = () =>
    check.run(async () => {
      setResult(undefined);
      setResult(
        await request<IdentityProviderChecks>("/identity-providers/checks", { method: "POST", body }),
      );
      setChecked(asked);
    });

  const verdict = ({ checks }: IdentityProviderChecks) => {
    const failed = checks.filter(({ state }) => state === "failed").length;
    if (failed > 0) return t("providers.check.bad", { failed });
    return checks.some(({ state }) => state === "warning")
      ? t("providers.check.look")
      : t("providers.check.good");
  };
  return (
    <Section title={t("providers.check.title")} lead={t("providers.check.lead")}>
      <div className="check-area">
        <Button variant="default" onClick={() => void run()} loading={check.working}>
          {result === undefined ? t("providers.check.run") : t("providers.check.again")}
        </Button>
        <div aria-live="polite" className="stack">
          <Refusal of={check} lead={t("providers.check.incomplete")} labels="providers.fields" />
          {result !== undefined && (
            <>
              <p>
                <strong>{verdict(result)}</strong>
                {checked !== asked && <span className="muted"> {t("providers.check.stale")}</span>}
              </p>
              <CheckList checks={result.checks} />
            </>
          )}
        </div>
      </div>
    </Section>
  );
}
