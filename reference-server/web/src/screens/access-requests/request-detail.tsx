import type { AccessRequestDetail } from "@admin/access-requests";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useGo, useParam } from "../../address/links";
import { useText } from "../../text/text";
import { forGood, type Ending, endOf, lacksDate } from "../../parts/ending";
import { EndingPicker } from "../../parts/ending-picker";
import { ApiError } from "../../api/api-error";
import { EditForm } from "../../parts/edit-form";
import { Breakable, Identifier, Scope } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, Page, Section } from "../../parts/page";
import { personName } from "../../parts/person";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { useEdit } from "../../parts/use-edit";
import { Verdict } from "../explain/verdict";
import { PersonLink } from "../objects/people-list";
import "./access-requests.css";
import { DeclineDialog } from "./decline-dialog";

/** Paths that a decision changes. */
const affected = ["/access-requests", "/assignments", "/scopes", "/users", "/explain"] as const;

export default function RequestPage() {
  const id = useParam("id");
  const answer = useItem<AccessRequestDetail>(apiPath("access-requests", id));
  return <Loaded answer={answer}>{(found) => <Detail key={found.id} found={found} />}</Loaded>;
}

function Detail({ found }: { readonly found: AccessRequestDetail }) {
  const t = useText();
  const [declining, setDeclining] = useState(false);
  const { person, target, targetName, kind, scopes, reason, state, createdAt, explanation } = found;
  const pending = state === "pending";
  return (
    <Page
      title={t("access-requests.of", { name: personName(person), target: targetName ?? target })}
      parent={{ to: "/access-requests", title: t("access-requests.title") }}
      narrow
      actions={
        found.decidable && (
          <Button variant="default" onClick={() => setDeclining(true)}>
            {t("access-requests.decline")}
          </Button>
        )
      }
    >
      <blockquote className="reason">
        <Breakable>{reason}</Breakable>
      </blockquote>
      <div className="before-form">
        <Facts
          items={[
            [
              t("access-requests.facts.person"),
              <PersonLink key="person" person={{ ...person, name: null }} />,
            ],
            [t(`access-requests.facts.${kind}`), <Identifier key="target">{target}</Identifier>],
            [
              t("access-requests.facts.scopes"),
              <span key="scopes">
                {scopes.map((scope) => (
                  <Scope key={scope}>{scope}</Scope>
                ))}
              </span>,
            ],
            [t("access-requests.facts.asked"), <Time key="asked" at={createdAt} />],
            !pending && [t("access-requests.state"), t(`access-requests.states.${state}`)],
            found.note !== null && [t("access-requests.facts.note"), found.note],
            found.expiresAt !== null && [
              t("access-requests.facts.until"),
              <Time key="until" at={found.expiresAt} />,
            ],
          ]}
        />
      </div>
      {found.decidable && <Approve found={found} />}
      {pending && !found.decidable && <p className="muted">{t("access-requests.notDecidable")}</p>}
      {explanation !== null && (
        <Section title={t("access-requests.explanation")}>
          <Verdict explanation={explanation} givesAll={!pending} />
        </Section>
      )}
      <Holders found={found} />
      <Calls found={found} />
      {declining && <DeclineDialog found={found} onClose={() => setDeclining(false)} />}
    </Page>
  );
}

/** Gives what the caller may give of the requested scopes, after showing what that changes. */
function Approve({ found }: { readonly found: AccessRequestDetail }) {
  const t = useText();
  const go = useGo();
  const forget = useForget();
  const others = found.scopes.filter((scope) => !found.givable.includes(scope));
  const form = useEdit<{ readonly ending: Ending }, never>({
    initial: { ending: forGood },
    previews: true,
    send: async ({ ending }, { preview }) => {
      if (lacksDate(ending)) {
        const fields = [{ path: "expiresAt", message: t("assignments.missing.expiresAt") }];
        throw new ApiError({ status: 400, code: "invalid_request", description: "", fields });
      }
      return await request(`${apiPath("access-requests", found.id)}/approvals`, {
        method: "POST",
        body: { ...(others.length > 0 && { scopes: found.givable }), until: endOf(ending, Date.now()) },
        version: found.version,
        query: { preview: preview || undefined },
      });
    },
    onSaved: async () => {
      await forget(...affected);
      go("/access-requests", { replace: true });
    },
  });
  if (found.givable.length === 0) return <p className="muted">{t("access-requests.nothingGivable")}</p>;
  return (
    <EditForm
      route="POST /access-requests/{id}/approvals"
      form={form}
      submitLabel={t("access-requests.approve")}
      labels="assignments"
      creates
    >
      {others.length > 0 && (
        <p className="muted">
          {t("access-requests.notGivable")}{" "}
          {others.map((scope) => (
            <Scope key={scope}>{scope}</Scope>
          ))}
        </p>
      )}
      <EndingPicker
        value={form.values.ending}
        onChange={(ending) => form.set({ ending })}
        error={form.errorOf("expiresAt")}
      />
    </EditForm>
  );
}

function Holders({ found }: { readonly found: AccessRequestDetail }) {
  const t = useText();
  return (
    <Section title={t("access-requests.holders.title")}>
      <RecordRows
        rows={found.holders.map(({ scope, people, groups }) => ({
          id: scope,
          title: <Scope>{scope}</Scope>,
          detail:
            people.length + groups.length === 0
              ? t("access-requests.holders.nobody")
              : [...people.map(({ email }) => email), ...groups.map(({ key }) => key)].join(", "),
        }))}
      />
    </Section>
  );
}

function Calls({ found }: { readonly found: AccessRequestDetail }) {
  const t = useText();
  if (found.calls.length === 0) return undefined;
  return (
    <Section title={t("access-requests.calls")}>
      <RecordRows
        rows={found.calls.map(({ at, method, host, path, status }, index) => ({
          id: `${at} ${String(index)}`,
          title: <Breakable>{[method, `${host ?? ""}${path ?? ""}`].filter(Boolean).join(" ")}</Breakable>,
          detail: (
            <>
              <Time at={at} />
              {status !== null && ` · ${String(status)}`}
            </>
          ),
        }))}
      />
    </Section>
  );
}
