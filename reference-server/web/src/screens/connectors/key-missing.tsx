import type { ConnectorKeys } from "@admin/connector-keys";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { useMessages } from "../../messages/language";
import { Copyable } from "../../parts/copyable";
import { Icon } from "../../parts/icon";
import { Identifier } from "../../parts/identifier";
import { LinkButton } from "../../parts/page";
import { messages } from "./messages";
import "./connectors.css";

/** Instead of the form while nothing can be encrypted: what to set, and how to make it. */
export function KeyMissing({ keys }: { readonly keys: ConnectorKeys }) {
  const { key: t } = useMessages(messages);
  const forget = useForget();
  const [looking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    await forget("/connector-keys");
    setLooking(false);
  };
  const absent = keys.state === "not_configured";
  return (
    <div className="stack">
      <div className="verdict" data-state="warning">
        <Icon name="warning" size={22} />
        <div>
          <h2>{absent ? t.title : t.unusable}</h2>
          <p>{absent ? t.text : (keys.problem ?? t.unusableText)}</p>
        </div>
      </div>
      {absent && (
        <>
          <HowToMakeOne />
          <p className="muted">
            {t.vault} <Identifier>AUTHZ_CONNECTOR_VAULT_ADDR</Identifier>,{" "}
            <Identifier>AUTHZ_CONNECTOR_VAULT_TOKEN</Identifier>,{" "}
            <Identifier>AUTHZ_CONNECTOR_VAULT_KEY</Identifier>.
          </p>
        </>
      )}
      <div className="page-actions">
        <Button onClick={() => void look()} loading={looking}>
          {t.again}
        </Button>
        {!absent && <LinkButton to="/connector-keys">{t.details}</LinkButton>}
      </div>
    </div>
  );
}

function HowToMakeOne() {
  const { key: t } = useMessages(messages);
  return (
    <ol className="steps">
      <li>
        <p>{t.make}</p>
        <Copyable>openssl rand -base64 32</Copyable>
      </li>
      <li>
        <p>{t.set}</p>
        <Copyable>AUTHZ_CONNECTOR_KEK</Copyable>
        <p className="muted">{t.keep}</p>
      </li>
    </ol>
  );
}
