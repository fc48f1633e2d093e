import type { Connection, ConnectionRemoval } from "@admin/connections";
import { Button, Group } from "@mantine/core";
import { useRef, useState } from "react";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { Dialog } from "../../parts/dialog";
import { personName } from "../../parts/person";

/** Ends one connection. A revocation that the third party did not confirm stays on the screen until it is closed. */
export function Disconnect(props: {
  readonly connection: Connection;
  /** The connector's name, when it is known. */
  readonly connector: string;
  readonly onClose: () => void;
}) {
  const { connection, connector, onClose } = props;
  const t = useText();
  const [outcome, setOutcome] = useState<"unconfirmed" | "unsupported">();
  const stays = useRef(false);
  if (outcome !== undefined) {
    return (
      <Dialog title={t("connections.outcome.title")} onClose={onClose}>
        <p>{t(`connections.outcome.${outcome}`)}</p>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t("parts.close")}
          </Button>
        </Group>
      </Dialog>
    );
  }
  return (
    <ConfirmChange<ConnectionRemoval>
      title={t("connections.disconnectTitle", { person: personName(connection.user), connector })}
      confirmLabel={t("connections.disconnectSubmit")}
      path={apiPath("connections", connection.id)}
      options={{ method: "DELETE" }}
      previews={false}
      affects={["/connections", "/connectors", "/connector-keys"]}
      done={({ revocation }) => (revocation === "confirmed" ? t("connections.confirmed") : undefined)}
      onDone={({ revocation }) => {
        if (revocation === "confirmed") return;
        stays.current = true;
        setOutcome(revocation);
      }}
      onClose={() => {
        if (!stays.current) onClose();
      }}
    >
      <p>{t("connections.disconnectText")}</p>
    </ConfirmChange>
  );
}

export function DisconnectButton(props: {
  readonly connection: Connection;
  readonly onDisconnect: (connection: Connection) => void;
}) {
  const { connection, onDisconnect } = props;
  const t = useText();
  return (
    <ActionButton
      route="DELETE /connections/{id}"
      variant="default"
      size="compact-sm"
      disabled={connection.state === "disconnecting"}
      onClick={() => onDisconnect(connection)}
    >
      {t("connections.disconnect")}
    </ActionButton>
  );
}
