import type { IdentityProvider } from "@admin/identity-providers";
import { Button } from "@mantine/core";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useSearch } from "../../address/links";
import { Refusal } from "../../parts/field-problems";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { Problem, useAction } from "../../parts/use-action";
import type { Edit } from "../../parts/use-edit";
import { useText } from "../../text/text";
import type { ProviderValues } from "./provider-values";
import { TestResult } from "./test-result";
import { beginSignInTest, needsNewTest, useSignInTest, useTestInNewTab } from "./use-sign-in-test";

interface TestProps {
  readonly provider: IdentityProvider;
  readonly form: Edit<ProviderValues, IdentityProvider>;
}

/** Tests the stored provider in this tab; the provider redirects back here with the result. */
export function TestSignIn({ provider, form }: TestProps) {
  const t = useText();
  const [search, setSearch] = useSearch();
  const { run, working, problem } = useAction();
  const { key, enabled } = provider;
  const test = useSignInTest(key, search.get("test") ?? undefined);

  const start = () =>
    run(async () => {
      const { id, authorizationUrl } = await beginSignInTest(key);
      if (authorizationUrl === null) return setSearch({ test: id });
      location.assign(authorizationUrl);
      // The button stays busy until the browser leaves the page.
      return await new Promise(() => {});
    });

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
        <Button variant="default" onClick={() => void start()} loading={working} disabled={form.dirty}>
          {t("providers.test.run")}
        </Button>
      }
    >
      <div className="stack before-form">
        <LastTest provider={provider} />
        <Problem>{problem}</Problem>
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
  const { run, working, problem } = useAction();
  const enable = () =>
    run(async () => {
      const path = apiPath("identity-providers", key);
      const body = { enabled: true };
      form.changedBeside(await request<IdentityProvider>(path, { method: "PATCH", body, version }));
      toast(t("providers.test.enabled", { name }));
      await forget("/identity-providers", "/overview");
    });
  return (
    <div>
      <Button onClick={() => void enable()} loading={working}>
        {t("providers.test.enable")}
      </Button>
      <Problem>{problem}</Problem>
    </div>
  );
}

/** Tests unsaved changes in another tab; the saved values stay in use. */
export function TestChanges({ provider, form }: TestProps) {
  const t = useText();
  const { start, action, blocked, test } = useTestInNewTab(provider, form.values);
  if (!needsNewTest(provider, form.values)) return undefined;
  return (
    <div className="note-box" aria-live="polite">
      <p>{t("providers.test.leadChanges")}</p>
      <p>
        <Button variant="default" onClick={() => void start()} loading={action.working}>
          {t("providers.test.runChanges")}
        </Button>
      </p>
      {blocked && <p className="problem">{t("providers.test.blocked")}</p>}
      <Refusal of={action} lead={t("providers.check.incomplete")} labels="providers.fields" />
      {test?.state === "pending" && <p className="muted">{t("providers.test.waiting")}</p>}
      {test !== undefined && <TestResult test={test} passed={t("providers.test.result.passedChanges")} />}
    </div>
  );
}
