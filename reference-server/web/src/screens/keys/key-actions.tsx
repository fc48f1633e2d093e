import type { AdminSigningKey, KeyChangeRequest } from "@admin/signing-keys";
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Identifier } from "../../parts/identifier";
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
  return (
    <ConfirmDestructive
      title={t("keys.staging")}
      confirmLabel={t("keys.stage")}
      onConfirm={() => send(apiPath("signing-keys"), t("keys.staged"))}
      onClose={onClose}
    >
      <p>{t("keys.stagingText")}</p>
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
  const early = item.advice?.code === "activate_when_ready";
  return (
    <ConfirmDestructive
      title={t("keys.activateTitle")}
      confirmLabel={t("keys.activateSubmit")}
      onConfirm={() =>
        send(apiPath("signing-keys", item.kid, "activations"), t("keys.activated"), { emergency })
      }
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>
          {t("keys.activateText", {
            replaces: active === undefined ? "none" : "active",
            active: active === undefined ? "" : shortKid(active.kid),
          })}
        </p>
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
  return async (path: string, done: string, body?: KeyChangeRequest) => {
    await request(path, { method: "POST", body });
    toast(done);
    await forget("/signing-keys", "/overview");
  };
}
