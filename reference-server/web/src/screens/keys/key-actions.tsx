import type { AdminSigningKey, KeyChangeRequest, KeySchedule } from "@admin/signing-keys";
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmChange, ConfirmDestructive, type ConfirmProps } from "../../parts/confirm-destructive";
import { Identifier } from "../../parts/identifier";
import { Time } from "../../parts/time";
import { toast } from "../../parts/toasts";

/** The beginning of a key's id, enough to recognize it. */
export function shortKid(kid: string): string {
  return kid.slice(0, 8);
}

interface ActionProps {
  readonly item: AdminSigningKey;
  readonly onClose: () => void;
}

const affected = ["/signing-keys", "/overview"];

/** Makes a new key; by default it becomes the active one by itself as soon as caches know it. */
export function StageKey({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const forget = useForget();
  const [byItself, setByItself] = useState(true);
  const stage = async () => {
    const { kid } = await request<AdminSigningKey>("/signing-keys", { method: "POST" });
    if (byItself) await request(apiPath("signing-keys", kid, "schedules"), { method: "POST", body: {} });
    toast(byItself ? t("keys.stagedByItself") : t("keys.staged"));
    await forget(...affected);
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

/** Makes a staged key the active one, or schedules that while caches may not know the key yet. */
export function ActivateKey(props: ActionProps & { readonly active: AdminSigningKey | undefined }) {
  const { item, active, onClose } = props;
  const t = useText();
  const [emergency, setEmergency] = useState(false);
  const early = item.activatableFrom !== null && new Date(item.activatableFrom).getTime() > Date.now();
  const later = early && !emergency;
  return (
    <ConfirmKeyChange
      item={item}
      title={t("keys.activateTitle")}
      confirmLabel={later ? t("keys.scheduleSubmit") : t("keys.activateSubmit")}
      change={later ? { schedules: {} } : { activations: { emergency } }}
      done={later ? t("keys.scheduled") : t("keys.activated")}
      onClose={onClose}
    >
      {later ? (
        <p>{t("keys.scheduleText", { time: <Time key="time" at={item.activatableFrom} /> })}</p>
      ) : (
        <p>
          {t("keys.activateText", {
            replaces: active === undefined ? "none" : "active",
            active: active === undefined ? "" : shortKid(active.kid),
          })}
        </p>
      )}
      {early && (
        <Checkbox
          checked={emergency}
          onChange={(event) => setEmergency(event.currentTarget.checked)}
          label={t("keys.emergency")}
          description={t("keys.emergencyHelp")}
        />
      )}
    </ConfirmKeyChange>
  );
}

/** Cancels the scheduled activation of a staged key. */
export function UnscheduleKey(props: ActionProps) {
  const t = useText();
  return (
    <ConfirmKeyChange
      {...props}
      harmless
      title={t("keys.unscheduleTitle")}
      confirmLabel={t("keys.unschedule")}
      change={{ schedules: { activatesAt: null } }}
      done={t("keys.unscheduled")}
    >
      <p>{t("keys.unscheduleText")}</p>
    </ConfirmKeyChange>
  );
}

/** Retires a staged key that was never active. */
export function WithdrawKey(props: ActionProps) {
  const t = useText();
  return (
    <ConfirmKeyChange
      {...props}
      title={t("keys.withdrawTitle")}
      confirmLabel={t("keys.withdrawSubmit")}
      change={{ retirements: {} }}
      done={t("keys.withdrawn")}
    >
      <p>{t("keys.withdrawText")}</p>
    </ConfirmKeyChange>
  );
}

/** Removes a leaked retired key from the key set at once, so that its signatures are no longer accepted. */
export function RemoveKey(props: ActionProps) {
  const t = useText();
  return (
    <ConfirmKeyChange
      {...props}
      title={t("keys.removeTitle")}
      name={shortKid(props.item.kid)}
      confirmLabel={t("keys.removeSubmit")}
      change={{ retirements: { emergency: true } }}
      done={t("keys.removed")}
    >
      <p>{t("keys.removeText")}</p>
    </ConfirmKeyChange>
  );
}

function ConfirmKeyChange(
  props: ConfirmProps & {
    readonly item: AdminSigningKey;
    /** The body by the last part of the path. */
    readonly change:
      | { readonly schedules: KeySchedule }
      | { readonly activations: KeyChangeRequest }
      | { readonly retirements: KeyChangeRequest };
    readonly done: string;
  },
) {
  const { item, change, done, children, ...dialog } = props;
  const [[action, body] = ["", {}]] = Object.entries(change);
  return (
    <ConfirmChange
      {...dialog}
      path={apiPath("signing-keys", item.kid, action)}
      options={{ method: "POST", body }}
      previews={false}
      affects={affected}
      done={() => done}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        {children}
      </div>
    </ConfirmChange>
  );
}
