import type { AskedHost, Askers } from "@admin/app-hosts";
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useItem, useList } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { Dialog } from "../../parts/dialog";
import { Breakable, Identifier } from "../../parts/identifier";
import { LoadMore } from "../../parts/load-more";
import { Loaded } from "../../parts/loaded";
import { Section } from "../../parts/page";
import { personName } from "../../parts/person";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { Problem } from "../../parts/use-action";
import { useDecision } from "./use-decision";
import { wellKnownHosts } from "./well-known-hosts";

/** Requested hosts without a decision; those that most people wait for come first. */
export function AskedHosts() {
  const t = useText();
  const answer = useList<AskedHost>("/app-requests", { limit: 10 });
  const { decide, deciding, problem } = useDecision();
  const [shown, setShown] = useState<string>();
  const hosts = answer.data?.pages.flatMap(({ items }) => items) ?? [];
  if (hosts.length === 0) return undefined;
  return (
    <Section title={t("app-hosts.asked.title")} lead={t("app-hosts.asked.lead")}>
      <Problem>{problem}</Problem>
      <RecordRows
        rows={hosts.map(({ host, people, clientId, lastAskedAt }) => ({
          id: host,
          title: (
            <>
              {wellKnownHosts.has(host) && <strong>{wellKnownHosts.get(host)} </strong>}
              <Identifier>{host}</Identifier>
            </>
          ),
          detail: (
            <>
              <div>
                {t("app-hosts.asked.by", { count: people })} · <Time at={lastAskedAt} />
              </div>
              <Breakable>{clientId}</Breakable>
            </>
          ),
          action: (
            <Group gap="xs" className="record-actions">
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={t("app-hosts.asked.whoOf", { host })}
                onClick={() => setShown(host)}
              >
                {t("app-hosts.asked.who")}
              </Button>
              <ActionButton
                route="POST /app-hosts"
                variant="default"
                size="compact-sm"
                disabled={deciding !== undefined}
                aria-label={t("app-hosts.refuseHost", { host })}
                onClick={() => void decide(host, false)}
              >
                {t("app-hosts.refuse")}
              </ActionButton>
              <ActionButton
                route="POST /app-hosts"
                size="compact-sm"
                loading={deciding === host}
                aria-label={t("app-hosts.allowHost", { host })}
                onClick={() => void decide(host, true)}
              >
                {t("app-hosts.allow")}
              </ActionButton>
            </Group>
          ),
        }))}
      />
      {answer.hasNextPage && (
        <LoadMore loading={answer.isFetchingNextPage} onLoad={() => void answer.fetchNextPage()} />
      )}
      {shown !== undefined && <AskersDialog host={shown} onClose={() => setShown(undefined)} />}
    </Section>
  );
}

/** The people who tried an app of a host, and when. */
function AskersDialog({ host, onClose }: { readonly host: string; readonly onClose: () => void }) {
  const t = useText();
  const answer = useItem<Askers>(apiPath("app-requests", host));
  return (
    <Dialog title={t("app-hosts.asked.dialog", { host })} onClose={onClose}>
      <Loaded answer={answer}>
        {({ people }) => (
          <RecordRows
            rows={people.map(({ user, clientId, askedAt }) => ({
              id: user.id,
              title: <Link to={screenPath("users", user.id)}>{personName(user)}</Link>,
              detail: (
                <>
                  <Time at={askedAt} /> · <Breakable>{clientId}</Breakable>
                </>
              ),
            }))}
          />
        )}
      </Loaded>
    </Dialog>
  );
}
