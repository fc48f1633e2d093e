import type { IdentityProvider } from "@admin/identity-providers";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useSearch } from "../../address/links";
import { useDescribeError } from "../../parts/describe-error";
import { FieldProblems } from "../../parts/field-problems";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { toast } from "../../parts/toasts";
import type { Edit } from "../../parts/use-edit";
import { ApiError } from "../../api/api-error";
import { useText } from "../../text/text";
import type { ProviderValues } from "./provider-values";
import { TestResult } from "./test-result";
import { beginSignInTest, needsNewTest, useSignInTest, useTestInNewTab } from "./use-sign-in-test";

interface TestProps {
  readonly provider: IdentityProvider;
  readonly form: Edit<ProviderValues, IdentityProvider>;
}

/** Tests the provider as it is stored, in this tab: the way back from the provider leads here, with the result. */
export function TestSignIn({ provider, form }: TestProps) {
  const t = useText();
  const describe = useDescribeError();
  const [search, setSearch] = useSearch();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  const { key, enabled } = provider;
  const test = useSignInTest(key, search.get("test") ?? undefined);

  const run = async () => {
    setWorking(true);
    setError(undefined);
    try {
      const { id, authorizationUrl } = await beginSignInTest(key);
      if (authorizationUrl === null) setSearch({ test: id });
      else {
        location.assign(authorizationUrl);
        return;
      }
    } catch (problem) {
      setError(problem);
    }
    setWorking(false);
  };

  const offersEnabling = !enabled && provider.test.state === "passed";
  const passed = test?.withChanges
    ? t("providers.test.result.passedElsewhere")
    : offersEnabling
      ? t("providers.test.result.passedOff")
      : t("providers.test.result.passed");
  const showsResult = test !== undefined && test.state !== "pending";
  return (
    <Section
      title={t("providers.test.title")}
      lead={t("providers.test.lead")}
      actions={
        <Button variant="default" onClick={() => void run()} loading={working} disabled={form.dirty}>
          {t("providers.test.run")}
        </Button>
      }
    >
      <div className="stack before-form">
        <LastTest provider={provider} />
        {error !== undefined && (
          <p className="problem" role="alert">
            {describe(error)}
          </p>
        )}
        {showsResult && (
          <TestResult test={test} passed={passed}>
            {offersEnabling && test.state === "passed" && <Enable provider={provider} form={form} />}
          </TestResult>
        )}
        {!showsResult && offersEnabling && <Enable provider={provider} form={form} />}
      </div>
    </Section>
  );
}

function LastTest({ provider: { test } }: Pick<TestProps, "provider">) {
  const t = useText();
  const ago = <Time at={test.testedAt} />;
  const words = {
    none: t("providers.test.none"),
    passed: t("providers.test.passed", { ago }),
    outdated: t("providers.test.outdated", { ago }),
  };
  return <p className="muted">{words[test.state]}</p>;
}

function Enable({ provider: { key, name, version }, form }: TestProps) {
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  const enable = async () => {
    setWorking(true);
    setError(undefined);
    try {
      const path = apiPath("identity-providers", key);
      const body = { enabled: true };
      form.changedBeside(await request<IdentityProvider>(path, { method: "PATCH", body, version }));
      toast(t("providers.test.enabled", { name }));
      await forget("/identity-providers", "/overview");
    } catch (problem) {
      setError(problem);
      setWorking(false);
    }
  };
  return (
    <div>
      <Button onClick={() => void enable()} loading={working}>
        {t("providers.test.enable")}
      </Button>
      {error !== undefined && (
        <p className="problem" role="alert">
          {describe(error)}
        </p>
      )}
    </div>
  );
}

/** Tests what is typed and not saved, in another tab: what serves meanwhile is what was saved. */
export function TestChanges({ provider, form }: TestProps) {
  const t = useText();
  const describe = useDescribeError();
  const { start, working, problem, blocked, test } = useTestInNewTab(provider, form.values);
  if (!needsNewTest(provider, form.values)) return undefined;
  const fields = problem instanceof ApiError ? problem.fields : [];
  return (
    <div className="note-box" aria-live="polite">
      <p>{t("providers.test.leadChanges")}</p>
      <p>
        <Button variant="default" onClick={() => void start()} loading={working}>
          {t("providers.test.runChanges")}
        </Button>
      </p>
      {blocked && <p className="problem">{t("providers.test.blocked")}</p>}
      {fields.length > 0 && (
        <FieldProblems lead={t("providers.check.incomplete")} fields={fields} labels="providers.fields" />
      )}
      {problem !== undefined && fields.length === 0 && <p className="problem">{describe(problem)}</p>}
      {test?.state === "pending" && <p className="muted">{t("providers.test.waiting")}</p>}
      {test !== undefined && <TestResult test={test} passed={t("providers.test.result.passedChanges")} />}
    </div>
  );
}
