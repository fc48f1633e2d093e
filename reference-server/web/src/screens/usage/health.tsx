import type { HealthList, TargetHealth } from "@admin/usage";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";
import { Time } from "../../parts/time";
import "./usage.css";

const tones = { answers: "good", fails: "bad", unknown: "neutral" } as const;

/** Returns the health of a service or connector; `undefined` while loading, and for a disabled one. */
export function useHealth(type: TargetHealth["type"]): (key: string) => TargetHealth | undefined {
  const { data } = useItem<HealthList>("/service-health");
  const known = new Map(data?.items.filter((item) => item.type === type).map((item) => [item.key, item]));
  return (key) => known.get(key);
}

/** The result and the time of the last attempt. */
export function HealthState({ health }: { readonly health: TargetHealth }) {
  const t = useText();
  return (
    <>
      <Status tone={tones[health.state]}>{t(`usage.health.states.${health.state}`)}</Status>
      {health.at !== null && (
        <div className="muted">
          <Time at={health.at} />
        </div>
      )}
    </>
  );
}

/** The health of one service or connector on its page, with a failure in full and the last success. */
export function HealthNotice({ type, id }: { readonly type: TargetHealth["type"]; readonly id: string }) {
  const t = useText();
  const health = useHealth(type)(id);
  if (health === undefined || health.at === null) return undefined;
  const { state, by, at, failure, answeredAt } = health;
  const time = <Time at={at} />;
  if (state !== "fails") {
    return (
      <p className="usage-health">
        <Status tone="good">{t("usage.health.states.answers")}</Status>{" "}
        <span className="muted">
          {by === "call" ? t("usage.health.call", { time }) : t("usage.health.catalog", { time })}
        </span>
      </p>
    );
  }
  return (
    <div className="usage-health">
      <Status tone="bad">{t("usage.health.states.fails")}</Status>{" "}
      <span className="muted">
        {by === "call" ? t("usage.health.call", { time }) : t("usage.health.catalog", { time })}
      </span>
      {failure !== null && <p>{failure}</p>}
      <p className="muted">
        {answeredAt === null
          ? t("usage.health.never")
          : t("usage.health.answered", { time: <Time at={answeredAt} /> })}
      </p>
    </div>
  );
}
