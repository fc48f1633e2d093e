import type { IdentityProvider } from "@admin/identity-providers";
import type { NewProvisioningCredential, Provisioning } from "@admin/identity-providers/provisioning";
import { useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Copyable } from "../../parts/copyable";
import { Identifier } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { toast } from "../../parts/toasts";
import { Problem, useAction } from "../../parts/use-action";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";

const maximumCredentials = 2;

/** How the provider provisions people by SCIM: its credentials, the address to enter there, and how it goes. */
export function ProvisioningSection({ provider }: { readonly provider: IdentityProvider }) {
  const t = useText();
  const path = apiPath("identity-providers", provider.key, "provisioning");
  const answer = useItem<Provisioning>(path);
  const forget = useForget();
  const { run, working, problem } = useAction();
  const [created, setCreated] = useState<NewProvisioningCredential>();
  const credentials = answer.data?.credentials ?? [];
  const create = () =>
    run(async () => {
      setCreated(await request<NewProvisioningCredential>(`${path}/credentials`, { method: "POST" }));
      await forget(path);
    });
  return (
    <Section
      title={t("providers.provisioning.title")}
      lead={t("providers.provisioning.lead")}
      actions={
        <ActionButton
          route="POST /identity-providers/{key}/provisioning/credentials"
          variant="default"
          onClick={() => void create()}
          loading={working}
          disabled={answer.data === undefined || credentials.length >= maximumCredentials}
        >
          {credentials.length === 0
            ? t("providers.provisioning.create")
            : t("providers.provisioning.replace")}
        </ActionButton>
      }
    >
      <div className="stack">
        <Problem>{problem}</Problem>
        {created !== undefined && <NewSecret credential={created} />}
        <Loaded answer={answer}>
          {(provisioning) => (
            <>
              <Overview provisioning={provisioning} provider={provider} />
              <Credentials
                provisioning={provisioning}
                path={path}
                onRemoved={(id) => setCreated((shown) => (shown?.id === id ? undefined : shown))}
              />
            </>
          )}
        </Loaded>
      </div>
    </Section>
  );
}

/** The secret of a new credential, as long as this page is open. */
function NewSecret({ credential: { secret } }: { readonly credential: NewProvisioningCredential }) {
  const t = useText();
  return (
    <div className="note-box" role="status">
      <p>{t("providers.provisioning.secret")}</p>
      <Copyable>{secret}</Copyable>
    </div>
  );
}

function Overview({
  provisioning: { baseUrl, people, groups, lastRequestAt, lastRefusal },
  provider: { provisioningAttribute, provisioningClaim },
}: {
  readonly provisioning: Provisioning;
  readonly provider: IdentityProvider;
}) {
  const t = useText();
  return (
    <Facts
      items={[
        [t("providers.provisioning.baseUrl"), <Copyable key="url">{baseUrl}</Copyable>],
        [
          t("providers.provisioning.pair"),
          <Identifier key="pair">{`${provisioningAttribute} = ${provisioningClaim}`}</Identifier>,
        ],
        [
          t("providers.provisioning.lastRequest"),
          lastRequestAt === null ? t("providers.provisioning.never") : <Time key="last" at={lastRequestAt} />,
        ],
        lastRefusal !== null && [
          t("providers.provisioning.lastRefusal"),
          <div key="refusal">
            <Time at={lastRefusal.at} />{" "}
            <Identifier>{`${lastRefusal.method} ${lastRefusal.path}`}</Identifier>
            <div className="muted" lang="en">
              {lastRefusal.status}: {lastRefusal.detail}
            </div>
          </div>,
        ],
        [t("providers.provisioning.count"), t("providers.provisioning.counts", { ...people, groups })],
      ]}
    />
  );
}

function Credentials({
  provisioning: { credentials },
  path,
  onRemoved,
}: {
  readonly provisioning: Provisioning;
  readonly path: string;
  readonly onRemoved: (id: string) => void;
}) {
  const t = useText();
  const forget = useForget();
  const [removing, setRemoving] = useState<string>();
  const remove = async (id: string) => {
    await request(`${path}/credentials/${id}`, { method: "DELETE" });
    onRemoved(id);
    toast(t("providers.provisioning.removed"));
    await forget(path);
  };
  if (credentials.length === 0) return <p className="muted">{t("providers.provisioning.none")}</p>;
  return (
    <>
      <RecordRows
        rows={credentials.map(({ id, createdAt, lastUsedAt }) => ({
          id,
          title: t("providers.provisioning.createdAt", { time: <Time at={createdAt} /> }),
          detail:
            lastUsedAt === null
              ? t("providers.provisioning.unused")
              : t("providers.provisioning.usedAt", { time: <Time at={lastUsedAt} /> }),
          action: (
            <ActionButton
              route="DELETE /identity-providers/{key}/provisioning/credentials/{id}"
              variant="default"
              size="compact-sm"
              onClick={() => setRemoving(id)}
            >
              {t("providers.provisioning.remove")}
            </ActionButton>
          ),
        }))}
      />
      {removing !== undefined && (
        <ConfirmDestructive
          title={t("providers.provisioning.removeTitle")}
          confirmLabel={t("providers.provisioning.remove")}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(undefined)}
        >
          <p>{t("providers.provisioning.removeText")}</p>
        </ConfirmDestructive>
      )}
    </>
  );
}
