import type { AdminSigningKey, KeyChangeRequest } from "@admin/signing-keys";
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useMessages } from "../../messages/language";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Identifier } from "../../parts/identifier";
import { toast } from "../../parts/toasts";
import { messages } from "./messages";

interface ActionProps {
  readonly item: AdminSigningKey;
  readonly onClose: () => void;
}

export function StageKey({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(messages);
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      title={t.staging}
      confirmLabel={t.stage}
      onConfirm={() => send(apiPath("signing-keys"), t.staged)}
      onClose={onClose}
    >
      <p>{t.stagingText}</p>
    </ConfirmDestructive>
  );
}

export function ActivateKey({
  item,
  active,
  onClose,
}: ActionProps & { readonly active: AdminSigningKey | undefined }) {
  const t = useMessages(messages);
  const send = useKeyRequest();
  const [emergency, setEmergency] = useState(false);
  const early = item.advice?.code === "activate_when_ready";
  return (
    <ConfirmDestructive
      title={t.activateTitle}
      confirmLabel={t.activateSubmit}
      onConfirm={() => send(apiPath("signing-keys", item.kid, "activations"), t.activated, { emergency })}
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t.activateText(active && t.short(active.kid))}</p>
        {early && (
          <Checkbox
            checked={emergency}
            onChange={(event) => setEmergency(event.currentTarget.checked)}
            label={t.emergency}
            description={t.emergencyHelp}
          />
        )}
      </div>
    </ConfirmDestructive>
  );
}

/** A staged key that is not wanted after all. */
export function WithdrawKey({ item, onClose }: ActionProps) {
  const t = useMessages(messages);
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      title={t.withdrawTitle}
      confirmLabel={t.withdrawSubmit}
      onConfirm={() => send(apiPath("signing-keys", item.kid, "retirements"), t.withdrawn, {})}
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t.withdrawText}</p>
      </div>
    </ConfirmDestructive>
  );
}

/** A retired key that somebody else has: what it signed must not be believed any longer. */
export function RemoveKey({ item, onClose }: ActionProps) {
  const t = useMessages(messages);
  const send = useKeyRequest();
  return (
    <ConfirmDestructive
      title={t.removeTitle}
      name={t.short(item.kid)}
      confirmLabel={t.removeSubmit}
      onConfirm={() => send(apiPath("signing-keys", item.kid, "retirements"), t.removed, { emergency: true })}
      onClose={onClose}
    >
      <div className="stack">
        <Identifier>{item.kid}</Identifier>
        <p>{t.removeText}</p>
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
