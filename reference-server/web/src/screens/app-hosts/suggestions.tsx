import type { AppHostList, AskedHostList } from "@admin/app-hosts";
import { Button } from "@mantine/core";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Identifier } from "../../parts/identifier";
import { Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Problem } from "../../parts/use-action";
import { useDecision } from "./use-decision";
import { wellKnownHosts } from "./well-known-hosts";

const everything = { query: { limit: 200 } };

/** Well-known hosts without a decision or a request, each with a button that allows it. */
export function Suggestions() {
  const t = useText();
  const decided = useItem<AppHostList>("/app-hosts", everything);
  const asked = useItem<AskedHostList>("/app-requests", everything);
  const { decide, deciding, problem } = useDecision();
  if (decided.data === undefined || asked.data === undefined) return undefined;
  const known = new Set([...decided.data.items, ...asked.data.items].map(({ host }) => host));
  const open = [...wellKnownHosts].filter(([host]) => !known.has(host));
  if (open.length === 0) return undefined;
  return (
    <Section title={t("app-hosts.suggestions.title")} lead={t("app-hosts.suggestions.lead")}>
      <Problem>{problem}</Problem>
      <RecordRows
        rows={open.map(([host, name]) => ({
          id: host,
          title: (
            <>
              {name} <Identifier>{host}</Identifier>
            </>
          ),
          action: (
            <Button
              variant="default"
              size="compact-sm"
              loading={deciding === host}
              aria-label={t("app-hosts.allowHost", { host })}
              onClick={() => void decide(host, true)}
            >
              {t("app-hosts.allow")}
            </Button>
          ),
        }))}
      />
    </Section>
  );
}
