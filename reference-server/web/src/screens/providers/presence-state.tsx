import type { IdentityProvider } from "@admin/identity-providers";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { useText } from "../../text/text";

/** How many people of a provider are confirmed, in grace or paused, and why its answers do not count at the moment. */
export function PresenceState({
  provider: { presence, signInEveryDays, presenceState },
}: {
  readonly provider: IdentityProvider;
}) {
  const t = useText();
  const { alarm, confirmed, inGrace, paused, withoutToken } = presenceState;
  if (presence === "off" && signInEveryDays === null && paused === 0) return undefined;
  return (
    <Section title={t("providers.presence.title")}>
      <div className="stack">
        {alarm !== null && (
          <VerdictBox state="warning" title={t(`providers.presence.alarm.${alarm.reason}`)}>
            <div className="muted">
              {t("providers.presence.alarmSince", { since: <Time at={alarm.since} /> })}
            </div>
          </VerdictBox>
        )}
        <p>{t("providers.presence.counts", { confirmed, inGrace, paused })}</p>
        {presence === "on" && withoutToken > 0 && (
          <p className="muted">{t("providers.presence.withoutToken", { count: withoutToken })}</p>
        )}
      </div>
    </Section>
  );
}
