import { Switch } from "@mantine/core";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Icon } from "../../parts/icon";
import { useLiveTail } from "./use-live-tail";

/** Turns polling for new events on and off; not for a period that has ended. */
export function LiveSwitch({ ended }: { readonly ended: boolean }) {
  const t = useText();
  const [search, setSearch] = useSearch();
  const live = search.get("live") === "on" && !ended;
  const { waiting, arrived, unreachable, show } = useLiveTail(live);
  if (ended) return undefined;
  return (
    <>
      <Switch
        className="event-live"
        label={t("audit.live.label")}
        checked={live}
        onChange={(event) => setSearch({ live: event.currentTarget.checked ? "on" : undefined })}
      />
      <p className="visually-hidden" role="status">
        {waiting.count > 0
          ? t("audit.live.waiting", { count: waiting.count, more: waiting.more })
          : arrived !== undefined && t("audit.live.arrived", { count: arrived.count })}
      </p>
      {unreachable && (
        <span className="event-live-problem" role="status">
          {t("audit.live.unreachable")}
        </span>
      )}
      {waiting.count > 0 && (
        <button type="button" className="event-waiting" onClick={show}>
          <Icon name="up" size={14} />
          {t("audit.live.waiting", { count: waiting.count, more: waiting.more })}
        </button>
      )}
    </>
  );
}
