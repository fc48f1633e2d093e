import type { SignalStream } from "@admin/signal-streams";
import { useText } from "../../text/text";
import { Status } from "../../parts/identifier";

const tones = {
  working: "good",
  waiting: "neutral",
  silent: "warning",
  failing: "bad",
  paused: "neutral",
} as const;

/** How a stream does, in a word. */
export function Health({ health }: Pick<SignalStream, "health">) {
  const t = useText();
  return <Status tone={tones[health]}>{t(`signal-streams.health.${health}`)}</Status>;
}
