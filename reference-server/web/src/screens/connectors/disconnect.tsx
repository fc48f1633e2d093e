import type { Connection, ConnectionRemoval } from "@admin/connections";
import { Button, Group } from "@mantine/core";
import { useRef, useState } from "react";
import { useChange } from "../../api/change";
import { useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Dialog } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { personName } from "../sessions/person";

/** Ends one connection. What the third party did not confirm stays on the screen until somebody has read it. */
export function Disconnect(props: {
  readonly connection: Connection;
  /** The connector's name, when it is known. */
  readonly connector: string;
  readonly onClose: () => void;
}) {
  const { connection, connector, onClose } = props;
  const t = useText();
  const change = useChange("/connections", "/connectors");
  const forget = useForget();
  const [open, setOpen] = useState<"unconfirmed" | "unsupported">();
  const stays = useRef(false);
  if (open !== undefined) {
    return (
      <Dialog title={t("connections.outcome.title")} onClose={onClose}>
        <p>{t(`connections.outcome.${open}`)}</p>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t("parts.close")}
          </Button>
        </Group>
      </Dialog>
    );
  }
  return (
    <ConfirmDestructive
      title={t("connections.disconnectTitle", { person: personName(connection.user), connector })}
      confirmLabel={t("connections.disconnectSubmit")}
      onConfirm={async () => {
        const path = apiPath("connections", connection.id);
        const { revocation } = await change<ConnectionRemoval>(path, { method: "DELETE" });
        if (revocation === "confirmed") toast(t("connections.confirmed"));
        else {
          stays.current = true;
          setOpen(revocation);
        }
        await forget("/connections", "/connectors", "/connector-keys");
      }}
      onClose={() => {
        if (!stays.current) onClose();
      }}
    >
      <p>{t("connections.disconnectText")}</p>
    </ConfirmDestructive>
  );
}
