import type { AdminSigningKey } from "@admin/signing-keys";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { Icon } from "../../parts/icon";
import { Identifier, Status } from "../../parts/identifier";
import { type Fact, Facts } from "../../parts/page";
import { ExactTime, Time } from "../../parts/time";
import "../../parts/lists.css";

/** A change of a key that waits for confirmation. */
export interface KeyQuestion {
  readonly ask: "stage" | "activate" | "unschedule" | "withdraw" | "remove";
  readonly key?: AdminSigningKey;
}

/** Advice without urgency. */
const calm: ReadonlySet<string> = new Set(["activate_now", "activates_itself"]);

/** One key: its state in a sentence, its times, and its actions. */
export function KeyCard(props: {
  readonly item: AdminSigningKey;
  readonly onAsk: (question: KeyQuestion) => void;
}) {
  const { item, onAsk } = props;
  const t = useText();
  const { kid, state, advice } = item;
  const urgent = advice !== null && !calm.has(advice.code);
  return (
    <article className="key-card" data-state={state} aria-label={`${t(`keys.states.${state}`)}: ${kid}`}>
      <header>
        <div>
          <Status tone={state === "active" ? "good" : state === "staged" ? "warning" : "neutral"}>
            <strong>{t(`keys.states.${state}`)}</strong>
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
          <span>{t(`keys.advice.${advice.code}`)}</span>
        </p>
      )}
      <Facts items={useFacts(item)} />
    </article>
  );
}

function useFacts(item: AdminSigningKey) {
  const t = useText();
  const times = [
    [t("keys.facts.staged"), item.stagedAt],
    [t("keys.facts.activatable"), item.activatableFrom],
    [t("keys.facts.activates"), item.activatesAt],
    [t("keys.facts.activated"), item.activatedAt],
    [t("keys.facts.retired"), item.retiredAt],
    [t("keys.facts.published"), item.publishedUntil],
  ] as const;
  return [
    ...times.map(([name, at]): Fact => at !== null && [name, <ExactTime key={name} at={at} />]),
    [t("keys.facts.source"), t(`keys.sources.${item.source}`)] as const,
  ];
}

function Sentence({ item }: { readonly item: AdminSigningKey }) {
  const t = useText();
  switch (item.state) {
    case "active":
      return t("keys.sentences.active", { days: item.ageDays ?? 0 });
    case "staged":
      if (item.activatesAt !== null) {
        return t("keys.sentences.stagedScheduled", { time: <Time at={item.activatesAt} /> });
      }
      if (item.advice?.code !== "activate_when_ready") return t("keys.sentences.stagedReady");
      return t("keys.sentences.stagedEarly", { time: <Time at={item.activatableFrom} /> });
    case "retired":
    default:
      if (item.activatedAt === null) return t("keys.sentences.withdrawn");
      if (!item.inKeySet) return t("keys.sentences.retiredGone");
      return t("keys.sentences.retiredPublished", { time: <Time at={item.publishedUntil} /> });
  }
}

function KeyButtons(props: {
  readonly item: AdminSigningKey;
  readonly onAsk: (question: KeyQuestion) => void;
}) {
  const { item: key, onAsk } = props;
  const t = useText();
  if (key.state === "staged") {
    return (
      <div className="page-actions">
        <ActionButton
          route="POST /signing-keys/{kid}/schedules"
          variant="default"
          size="compact-sm"
          onClick={() => onAsk({ ask: "withdraw", key })}
        >
          {t("keys.withdraw")}
        </ActionButton>
        {key.activatesAt !== null && (
          <ActionButton
            route="POST /signing-keys/{kid}/schedules"
            variant="default"
            size="compact-sm"
            onClick={() => onAsk({ ask: "unschedule", key })}
          >
            {t("keys.unschedule")}
          </ActionButton>
        )}
        <ActionButton
          route="POST /signing-keys/{kid}/activations"
          size="compact-sm"
          {...(key.advice?.code !== "activate_now" && { variant: "default" })}
          onClick={() => onAsk({ ask: "activate", key })}
        >
          {t("keys.activate")}
        </ActionButton>
      </div>
    );
  }
  if (key.state === "active" || !key.inKeySet) return undefined;
  return (
    <ActionButton
      route="POST /signing-keys/{kid}/retirements"
      variant="default"
      size="compact-sm"
      onClick={() => onAsk({ ask: "remove", key })}
    >
      {t("keys.remove")}
    </ActionButton>
  );
}
