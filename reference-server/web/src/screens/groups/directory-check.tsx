import type { GroupProviderCheckResult } from "@admin/groups";
import { Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error";
import { request } from "../../api/request";
import { useSession } from "../../api/session";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { FieldProblems } from "../../parts/field-problems";
import { CheckList } from "../../parts/check-list";
import { Identifier } from "../../parts/identifier";
import { Section } from "../../parts/page";
import { EmailPicker } from "../../parts/email-pickers";
import type { GroupProviderValues } from "./group-provider-values";

/** Asks a directory once with what is typed; the stored secret is used when none is. */
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
  const describe = useDescribeError();
  const [email, setEmail] = useState(user.email ?? "");
  const [result, setResult] = useState<GroupProviderCheckResult>();
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const { url, secret } = values;

  const run = async (event: FormEvent) => {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    setResult(undefined);
    const body = {
      url: url.trim(),
      email: email.trim(),
      ...(secret !== "" && { secret }),
      ...(stored !== undefined && { key: stored }),
    };
    try {
      setResult(await request<GroupProviderCheckResult>("/group-providers/checks", { method: "POST", body }));
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };

  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <Section title={t("groups.check.title")} lead={t("groups.check.lead")}>
      <div className="stack">
        <form className="inline-form" onSubmit={(event) => void run(event)} noValidate>
          <EmailPicker label={t("groups.check.email")} value={email} onChange={setEmail} />
          <Button type="submit" variant="default" loading={working}>
            {t("groups.check.run")}
          </Button>
        </form>
        <div aria-live="polite">
          {fields.length > 0 && (
            <FieldProblems lead={t("groups.check.incomplete")} fields={fields} labels="groups.fields" />
          )}
          {error !== undefined && fields.length === 0 && <p className="problem">{describe(error)}</p>}
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
