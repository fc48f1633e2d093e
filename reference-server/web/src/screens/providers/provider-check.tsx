import type { IdentityProviderChecks } from "@admin/identity-providers";
import { Button } from "@mantine/core";
import { useState } from "react";
import { ApiError } from "../../api/api-error";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { FieldProblems } from "../../parts/field-problems";
import { Section } from "../../parts/page";
import { CheckList } from "../../parts/check-list";
import { type ProviderValues, toCheck } from "./provider-values";

/** Looks at what is typed, saved or not, with a tick or a reason per check. */
export function ProviderCheck({ values }: { readonly values: ProviderValues }) {
  const t = useText();
  const describe = useDescribeError();
  const [result, setResult] = useState<IdentityProviderChecks>();
  const [checked, setChecked] = useState("");
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const asked = JSON.stringify(toCheck(values));

  const run = async () => {
    setWorking(true);
    setError(undefined);
    setResult(undefined);
    try {
      setResult(
        await request<IdentityProviderChecks>("/identity-providers/checks", {
          method: "POST",
          body: toCheck(values),
        }),
      );
      setChecked(asked);
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };

  const verdict = ({ checks }: IdentityProviderChecks) => {
    const failed = checks.filter(({ state }) => state === "failed").length;
    if (failed > 0) return t("providers.check.bad", { failed });
    return checks.some(({ state }) => state === "warning")
      ? t("providers.check.look")
      : t("providers.check.good");
  };
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <Section title={t("providers.check.title")} lead={t("providers.check.lead")}>
      <div className="check-area">
        <Button variant="default" onClick={() => void run()} loading={working}>
          {result === undefined ? t("providers.check.run") : t("providers.check.again")}
        </Button>
        <div aria-live="polite" className="stack">
          {fields.length > 0 && (
            <FieldProblems lead={t("providers.check.incomplete")} fields={fields} labels="providers.fields" />
          )}
          {error !== undefined && fields.length === 0 && <p className="problem">{describe(error)}</p>}
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
