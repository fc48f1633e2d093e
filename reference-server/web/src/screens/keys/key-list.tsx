import type { AdminSigningKey } from "@admin/signing-keys";
import { useState } from "react";
import { type ListPage, useItem } from "../../api/queries";
import { withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { LinkButton, MainAction, Page, Section } from "../../parts/page";
import { EmptyState } from "../../parts/resource-table";
import { ActivateKey, RemoveKey, StageKey, UnscheduleKey, WithdrawKey } from "./key-actions";
import { KeyCard, type KeyQuestion } from "./key-card";
import { KeyViews } from "./key-views";

const historyTypes = [
  "signing_key.staged",
  "signing_key.scheduled",
  "signing_key.activated",
  "signing_key.retired",
];

/** The active key, staged keys, and retired ones. */
export default function KeyList() {
  const t = useText();
  const answer = useItem<ListPage<AdminSigningKey>>("/signing-keys", { query: { limit: 200 } });
  const [question, setQuestion] = useState<KeyQuestion>();
  const close = () => setQuestion(undefined);
  const key = question?.key;
  const active = answer.data?.items.find(({ state }) => state === "active");
  return (
    <Page
      title={t("keys.title")}
      lead={t("keys.lead")}
      actions={
        <>
          <LinkButton icon="history" to={withQuery("/audit", { type: historyTypes })}>
            {t("parts.history")}
          </LinkButton>
          <MainAction route="POST /signing-keys" onClick={() => setQuestion({ ask: "stage" })}>
            {t("keys.stage")}
          </MainAction>
        </>
      }
    >
      <KeyViews />
      <Loaded answer={answer}>{({ items }) => <Keys items={items} onAsk={setQuestion} />}</Loaded>
      {question?.ask === "stage" && <StageKey onClose={close} />}
      {question?.ask === "activate" && key && <ActivateKey item={key} active={active} onClose={close} />}
      {question?.ask === "unschedule" && key && <UnscheduleKey item={key} onClose={close} />}
      {question?.ask === "withdraw" && key && <WithdrawKey item={key} onClose={close} />}
      {question?.ask === "remove" && key && <RemoveKey item={key} onClose={close} />}
    </Page>
  );
}

function Keys({
  items,
  onAsk,
}: {
  readonly items: readonly AdminSigningKey[];
  readonly onAsk: (question: KeyQuestion) => void;
}) {
  const t = useText();
  const current = [
    ...items.filter(({ state }) => state === "active"),
    ...items.filter(({ state }) => state === "staged"),
  ];
  const past = items.filter(({ state }) => state === "retired");
  if (items.length === 0) return <EmptyState text={t("keys.empty")} />;
  return (
    <>
      <div className="key-cards">
        {current.map((item) => (
          <KeyCard key={item.kid} item={item} onAsk={onAsk} />
        ))}
      </div>
      {past.length > 0 && (
        <Section title={t("keys.pastTitle")}>
          <div className="key-cards">
            {past.map((item) => (
              <KeyCard key={item.kid} item={item} onAsk={onAsk} />
            ))}
          </div>
        </Section>
      )}
    </>
  );
}
