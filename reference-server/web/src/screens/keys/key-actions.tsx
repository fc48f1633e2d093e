import type { AdminSigningKey, KeyChangeRequest, KeySchedule } from "@admin/signing-keys";
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Identifier } from "../../parts/identifier";
import { Time } from "../../parts/time";
import { toast } from "../../parts/toasts";

/** As much of a key's id as one recognizes it by. */
export function shortKid(kid: string): string {
  return kid.slice(0, 8);
}

interface ActionProps {
  readonly item: AdminSigningKey;
  readonly onClose: () => void;
}

export function StageKey({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const send = useKeyRequest();
  const [byItself, setByItself] = useState(true);
  const stage = async () => {
    if (!byItself) return await send(apiPath("signing-keys"), t("keys.staged"));
    const { kid } = await request<AdminSigningKey>(apiPath("signing-keys"), { method: "POST" });
    await send(apiPath("signing-keys", kid, "schedules"), t("keys.stagedByItself"), {});
  };
  return (
    <ConfirmDestructive
      harmless
      title={t("keys.staging")}
      confirmLabel={t("keys.stage")}
      onConfirm={stage}
      onClose={onClose}
    >
      <div className="stack">
        <p>{t("keys.stagingText")}</p>
        <Checkbox
          checked={byItself}
          onChange={(event) => setByItself(event.currentTarget.checked)}
          label={t("keys.byItself")}
          description={t("keys.byItselfHelp")}
        />
      </div>
    </ConfirmDestructive>
  );
}

export function ActivateKey({
  item,
  active,
  onClose,
}: ActionProps & { readonly active: AdminSigningKey | undefined }) {
  const t = useText();
  const send = useKeyRequest();
  const [emergency, setEmergency] = useState(false);
  const early = item.activatableFrom !== null && new Date(item.activatableFrom).getTime() > Date.now();
  const later = early && !emergency;
  return (
    <ConfirmDestructive
      title={t("keys.activateTitle")}
      confirmLabel={later ? t("keys.scheduleSubmit") : t("keys.activateSubmit")}
      onConfirm={() =>
        later
          ? send(apiPath("signing-keys", item.kid, "schedules"), t("keys.scheduled"), {})
          : send(apiPath("signing-keys", item.kid, "activations"), t("keys.activated"), { emergency })
      }
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        {!later && (
          <p>
            {t("keys.activateText", {
              replaces: active === undefined ? "none" : "active",
              active: active === undefined ? "" : shortKid(active.kid),
            })}
          </p>
        )}
        {later && <p>{t("keys.scheduleText", { time: <Time key="time" at={item.activatableFrom} /> })}</p>}
        {early && (
          <Checkbox
            checked={emergency}
            onChange={(event) => setEmergency(event.currentTarget.checked)}
            label={t("keys.emergency")}
            description={t("keys.emergencyHelp")}
          />
        )}
      </div>
    </ConfirmDestructive>
  );
}

/** A key that shall wait for somebody after all. */
export function UnscheduleKey({ item, onClose }: ActionProps) {
  const t = useText();
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      harmless
      title={t("keys.unscheduleTitle")}
      confirmLabel={t("keys.unschedule")}
      onConfirm={() =>
        send(apiPath("signing-keys", item.kid, "schedules"), t("keys.unscheduled"), { activatesAt: null })
      }
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t("keys.unscheduleText")}</p>
      </div>
    </ConfirmDestructive>
  );
}

/** A staged key that is not wanted after all. */
export function WithdrawKey({ item, onClose }: ActionProps) {
  const t = useText();
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      title={t("keys.withdrawTitle")}
      confirmLabel={t("keys.withdrawSubmit")}
      onConfirm={() => send(apiPath("signing-keys", item.kid, "retirements"), t("keys.withdrawn"), {})}
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t("keys.withdrawText")}</p>
      </div>
    </ConfirmDestructive>
  );
}

/** A retired key that somebody else has: what it signed must not be believed any longer. */
export function RemoveKey({ item, onClose }: ActionProps) {
  const t = useText();
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      title={t("keys.removeTitle")}
      name={shortKid(item.kid)}
      confirmLabel={t("keys.removeSubmit")}
      onConfirm={() =>
        send(apiPath("signing-keys", item.kid, "retirements"), t("keys.removed"), { emergency: true })
      }
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t("keys.removeText")}</p>
      </div>
    </ConfirmDestructive>
  );
}

function useKeyRequest() {
  const forget = useForget();
  return async (path: string, done: string, body?: KeyChangeRequest | KeySchedule) => {
    await request(path, { method: "POST", body });
    toast(done);
    await forget("/signing-keys", "/overview");
  };
}
