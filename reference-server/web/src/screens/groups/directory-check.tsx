import type { GroupProviderCheckResult } from "@admin/groups";
import { Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { request } from "../../api/request";
import { useSession } from "../../api/session";
import { useText } from "../../text/text";
import { Refusal } from "../../parts/field-problems";
import { CheckList } from "../../parts/check-list";
import { Identifier } from "../../parts/identifier";
import { Section } from "../../parts/page";
import { EmailPicker } from "../../parts/email-pickers";
import { useAction } from "../../parts/use-action";
import type { GroupProviderValues } from "./group-provider-values";

/** Tests a directory with the typed values, and with the stored secret unless a new one is typed. */
export function DirectoryCheck({
  values,
  stored,
}: {
  readonly values: GroupProviderValues;
  /** The key of the stored directory. */
  readonly stored?: string;
}) {
  const t = useText();
  const { user } = useSession();
  const check = useAction();
  const [email, setEmail] = useState(user.email ?? "");
  const [result, setResult] = useState<GroupProviderCheckResult>();
  const { url, secret } = values;

  const run = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      url: url.trim(),
      email: email.trim(),
      ...(secret !== "" && { secret }),
      ...(stored !== undefined && { key: stored }),
    };
    void check.run(async () => {
      setResult(undefined);
      setResult(await request<GroupProviderCheckResult>("/group-providers/checks", { method: "POST", body }));
    });
  };
  return (
    <Section title={t("groups.check.title")} lead={t("groups.check.lead")}>
      <div className="stack">
        <form className="inline-form" onSubmit={run} noValidate>
          <EmailPicker label={t("groups.check.email")} value={email} onChange={setEmail} />
          <Button type="submit" variant="default" loading={check.working}>
            {t("groups.check.run")}
          </Button>
        </form>
        <div aria-live="polite">
          <Refusal of={check} lead={t("groups.check.incomplete")} labels="groups.fields" />
          {result !== undefined && <Result result={result} />}
        </div>
      </div>
    </Section>
  );
}

function Result({ result }: { readonly result: GroupProviderCheckResult }) {
  const t = useText();
  const { checks, groups } = result;
  const passed = checks.every(({ state }) => state === "passed");
  return (
    <div className="stack">
      <CheckList checks={checks} />
      {passed && (
        <p>
          {groups.length === 0
            ? t("groups.check.noGroups")
            : groups.map((group, index) => (
                <span key={group}>
                  {index > 0 && ", "}
                  <Identifier>{group}</Identifier>
                </span>
              ))}
        </p>
      )}
    </div>
  );
}
