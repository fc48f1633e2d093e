import type { GroupProviderCheckResult } from "@admin/groups";
import { Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error";
import { request } from "../../api/request";
import { useSession } from "../../api/session";
import { useMessages } from "../../messages/language";
import { useDescribeError } from "../../parts/describe-error";
import { FieldProblems } from "../../parts/field-problems";
import { Icon } from "../../parts/icon";
import { Identifier } from "../../parts/identifier";
import { Section } from "../../parts/page";
import { EmailPicker } from "../../parts/pickers";
import { messages } from "./messages";
import type { SourceValues } from "./source-values";

/** Asks a directory once with what is typed; the stored secret is used when none is. */
export function DirectoryCheck({
  values,
  stored,
}: {
  readonly values: SourceValues;
  /** The key of the stored directory. */
  readonly stored?: string;
}) {
  const { check: t, fields: labels } = useMessages(messages);
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
    <Section title={t.title} lead={t.lead}>
      <div className="stack">
        <form className="inline-form" onSubmit={(event) => void run(event)} noValidate>
          <EmailPicker label={t.email} value={email} onChange={setEmail} />
          <Button type="submit" variant="default" loading={working}>
            {t.run}
          </Button>
        </form>
        <div aria-live="polite">
          {fields.length > 0 && (
            <FieldProblems lead={t.incomplete} fields={fields} labels={{ ...labels, email: t.email }} />
          )}
          {error !== undefined && fields.length === 0 && <p className="problem">{describe(error)}</p>}
          {result !== undefined && <Result result={result} />}
        </div>
      </div>
    </Section>
  );
}

function Result({ result }: { readonly result: GroupProviderCheckResult }) {
  const { check: t } = useMessages(messages);
  const { state, detail, groups } = result;
  const passed = state === "passed";
  return (
    <ul className="checks">
      <li data-state={state}>
        <Icon name={passed ? "check" : "failed"} />
        <div>
          <p className="check-title">{passed ? t.passed : t.failed}</p>
          <p className="muted">{detail}</p>
          {passed && (
            <p>
              {groups.length === 0
                ? t.noGroups
                : groups.map((group, index) => (
                    <span key={group}>
                      {index > 0 && ", "}
                      <Identifier>{group}</Identifier>
                    </span>
                  ))}
            </p>
          )}
        </div>
      </li>
    </ul>
  );
}
