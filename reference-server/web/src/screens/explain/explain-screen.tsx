import type { Explanation } from "@admin/explain";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { ApiError } from "../../api/api-error";
import { useItem } from "../../api/queries";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { fieldSentence } from "../../parts/field-sentence";
import { EmptyState } from "../../parts/resource-table";
import { Loaded } from "../../parts/loaded";
import { Page } from "../../parts/page";
import { EmailPicker } from "../../parts/email-pickers";
import { ResourcePicker, ScopesPicker } from "../../parts/pickers";
import { Verdict } from "./verdict";

/** Explains whether a person has scopes at a service. The question is in the address, so that any screen can link to it. */
export default function ExplainScreen() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [email, setEmail] = useState(search.get("email") ?? "");
  const [asked] = useDebouncedValue(email.trim(), 300);
  const resource = search.get("resource");
  const scopes = search.getAll("scope");
  const complete = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(asked);
  const answer = useItem<Explanation>("/explain", {
    query: { email: asked, resource: resource ?? undefined, scope: scopes },
    enabled: complete,
  });
  const problem = answer.error instanceof ApiError ? answer.error.fields : [];
  const errorOf = (path: string) => {
    const found = problem.find((one) => one.path.startsWith(path));
    return found && fieldSentence(found.message);
  };
  const changeEmail = (next: string) => {
    setEmail(next);
    setSearch({ email: next.trim() });
  };
  return (
    <Page title={t("explain.title")} lead={t("explain.lead")} narrow>
      <div className="question">
        <EmailPicker
          label={t("explain.email")}
          placeholder={t("explain.emailPlaceholder")}
          value={email}
          onChange={changeEmail}
          error={errorOf("email")}
          autoFocus={email === ""}
        />
        <ResourcePicker
          label={t("explain.resource")}
          placeholder={t("explain.resourceAny")}
          value={resource}
          onChange={(next) => setSearch({ resource: next ?? undefined })}
          error={errorOf("resource")}
        />
        <div className="wide">
          <ScopesPicker
            label={t("explain.scopes")}
            {...(scopes.length === 0 && { placeholder: t("explain.scopesPlaceholder") })}
            value={scopes}
            onChange={(scope) => setSearch({ scope })}
            error={errorOf("scope")}
          />
        </div>
      </div>
      <div className="section" aria-live="polite">
        {complete ? (
          <Loaded answer={answer}>{(explanation) => <Verdict explanation={explanation} />}</Loaded>
        ) : (
          <EmptyState text={t("explain.start")} />
        )}
      </div>
    </Page>
  );
}
