import type { Connection, ConnectionRemoval } from "@admin/connections";
import { Button, Group } from "@mantine/core";
import { useRef, useState } from "react";
import { useChange } from "../../api/change";
import { useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useMessages } from "../../messages/language";
import { partsMessages } from "../../messages/parts";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Dialog } from "../../parts/dialog";
import { toast } from "../../parts/toasts";
import { personName } from "../sessions/person";
import { connectionMessages } from "./messages";

/** Ends one connection. What the third party did not confirm stays on the screen until somebody has read it. */
export function Disconnect(props: {
  readonly connection: Connection;
  /** The connector's name, when it is known. */
  readonly connector: string;
  readonly onClose: () => void;
}) {
  const { connection, connector, onClose } = props;
  const t = useMessages(connectionMessages);
  const { close } = useMessages(partsMessages);
  const change = useChange("/connections", "/connectors");
  const forget = useForget();
  const [open, setOpen] = useState<"unconfirmed" | "unsupported">();
  const stays = useRef(false);
  if (open !== undefined) {
    return (
      <Dialog title={t.outcome.title} onClose={onClose}>
        <p>{t.outcome[open]}</p>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {close}
          </Button>
        </Group>
      </Dialog>
    );
  }
  return (
    <ConfirmDestructive
      title={t.disconnectTitle(personName(connection.user), connector)}
      confirmLabel={t.disconnectSubmit}
      onConfirm={async () => {
        const path = apiPath("connections", connection.id);
        const { revocation } = await change<ConnectionRemoval>(path, { method: "DELETE" });
        if (revocation === "confirmed") toast(t.confirmed);
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
      <p>{t.disconnectText}</p>
    </ConfirmDestructive>
  );
}
