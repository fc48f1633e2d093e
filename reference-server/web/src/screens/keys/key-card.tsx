import type { AdminSigningKey } from "@admin/signing-keys";
import { Button } from "@mantine/core";
import { formatNumber, useMessages } from "../../messages/language";
import { Icon } from "../../parts/icon";
import { Identifier, Status } from "../../parts/identifier";
import { Facts } from "../../parts/page";
import { ExactTime, Time } from "../../parts/time";
import "../../parts/lists.css";
import type { KeyQuestion } from "./key-list";
import { messages } from "./messages";

/** One key: its state in a sentence, its times, and what can be done with it. */
export function KeyCard(props: {
  readonly item: AdminSigningKey;
  readonly onAsk: (question: KeyQuestion) => void;
}) {
  const { item, onAsk } = props;
  const t = useMessages(messages);
  const { kid, state, advice } = item;
  const urgent = advice !== null && advice.code !== "activate_now";
  return (
    <article className="key-card" data-state={state} aria-label={`${t.states[state]}: ${kid}`}>
      <header>
        <div>
          <Status tone={state === "active" ? "good" : state === "staged" ? "warning" : "neutral"}>
            <strong>{t.states[state]}</strong>
          </Status>
          <Identifier>{kid}</Identifier>
        </div>
        <KeyButtons item={item} onAsk={onAsk} />
      </header>
      <p>
        <Sentence item={item} />
      </p>
      {advice !== null && (
        <p className="key-advice" data-urgent={urgent}>
          <Icon name={urgent ? "warning" : "check"} />
          <span>{t.advice[advice.code]}</span>
        </p>
      )}
      <Facts items={useFacts(item)} />
    </article>
  );
}

function useFacts(item: AdminSigningKey) {
  const t = useMessages(messages);
  const times = [
    [t.facts.staged, item.stagedAt],
    [t.facts.activatable, item.activatableFrom],
    [t.facts.activated, item.activatedAt],
    [t.facts.retired, item.retiredAt],
    [t.facts.published, item.publishedUntil],
  ] as const;
  return [
    ...times.flatMap(([name, at]) =>
      at === null ? [] : [[name, <ExactTime key={name} at={at} />] as const],
    ),
    [t.facts.source, t.sources[item.source]] as const,
  ];
}

function Sentence({ item }: { readonly item: AdminSigningKey }) {
  const { sentences: t, days } = useMessages(messages);
  switch (item.state) {
    case "active": {
      const age = item.ageDays ?? 0;
      return t.active(days(age, formatNumber(age)));
    }
    case "staged":
      if (item.advice?.code !== "activate_when_ready") return t.stagedReady;
      return (
        <>
          {t.stagedEarly} <Time at={item.activatableFrom} />.
        </>
      );
    case "retired":
    default:
      if (item.activatedAt === null) return t.withdrawn;
      if (!item.inKeySet) return t.retiredGone;
      return (
        <>
          {t.retiredPublished} <Time at={item.publishedUntil} />.
        </>
      );
  }
}

function KeyButtons(props: {
  readonly item: AdminSigningKey;
  readonly onAsk: (question: KeyQuestion) => void;
}) {
  const { item: key, onAsk } = props;
  const t = useMessages(messages);
  if (key.state === "staged") {
    return (
      <div className="page-actions">
        <Button variant="default" size="compact-sm" onClick={() => onAsk({ ask: "withdraw", key })}>
          {t.withdraw}
        </Button>
        <Button
          size="compact-sm"
          {...(key.advice?.code === "activate_when_ready" && { variant: "default" })}
          onClick={() => onAsk({ ask: "activate", key })}
        >
          {t.activate}
        </Button>
      </div>
    );
  }
  if (key.state === "active" || !key.inKeySet) return undefined;
  return (
    <Button variant="default" size="compact-sm" onClick={() => onAsk({ ask: "remove", key })}>
      {t.remove}
    </Button>
  );
}
