import type { ConnectorKeys } from "@admin/connector-keys";
import { Button } from "@mantine/core";
import { useForget } from "../../api/queries";
import { useText } from "../../text/text";
import { Copyable } from "../../parts/copyable";
import { Identifier } from "../../parts/identifier";
import { LinkButton } from "../../parts/page";
import { useAction } from "../../parts/use-action";
import { VerdictBox } from "../../parts/verdict-box";
import "./connectors.css";

/** In place of the form while no key can encrypt secrets: which variable to set, and how to make a key. */
export function KeyMissing({ keys }: { readonly keys: ConnectorKeys }) {
  const t = useText();
  const forget = useForget();
  const { run, working } = useAction();
  const absent = keys.state === "not_configured";
  return (
    <div className="stack">
      <VerdictBox state="warning" title={absent ? t("connectors.key.title") : t("connectors.key.unusable")}>
        <p>{absent ? t("connectors.key.text") : (keys.problem ?? t("connectors.key.unusableText"))}</p>
      </VerdictBox>
      {absent && (
        <>
          <HowToMakeOne />
          <p className="muted">
            {t("connectors.key.vault", {
              variables: (
                <>
                  <Identifier>AUTHZ_CONNECTOR_VAULT_ADDR</Identifier>,{" "}
                  <Identifier>AUTHZ_CONNECTOR_VAULT_TOKEN</Identifier>,{" "}
                  <Identifier>AUTHZ_CONNECTOR_VAULT_KEY</Identifier>
                </>
              ),
            })}
          </p>
        </>
      )}
      <div className="page-actions">
        <Button onClick={() => void run(() => forget("/connector-keys"))} loading={working}>
          {t("connectors.key.again")}
        </Button>
        {!absent && <LinkButton to="/connector-keys">{t("connectors.key.details")}</LinkButton>}
      </div>
    </div>
  );
}

function HowToMakeOne() {
  const t = useText();
  return (
    <ol className="steps">
      <li>
        <p>{t("connectors.key.make")}</p>
        <Copyable>openssl rand -base64 32</Copyable>
      </li>
      <li>
        <p>{t("connectors.key.set")}</p>
        <Copyable>AUTHZ_CONNECTOR_KEK</Copyable>
        <p className="muted">{t("connectors.key.keep")}</p>
      </li>
    </ol>
  );
}
