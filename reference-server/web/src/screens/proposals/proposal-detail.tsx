import type { ProposalDetail } from "@admin/proposals";
import { useState } from "react";
import { screenPath, useGo, useParam } from "../../address/links";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { ActionButton } from "../../parts/if-may";
import { Scopes } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { Facts, LinkButton, Page, Section } from "../../parts/page";
import { personName } from "../../parts/person";
import "../../parts/snippet.css";
import { Time } from "../../parts/time";
import { VerdictBox } from "../../parts/verdict-box";
import { useText } from "../../text/text";

type Decision = "approve" | "decline" | "withdraw";
type Written = NonNullable<ProposalDetail["after"]>;

export default function ProposalPage() {
  const id = useParam("id");
  const answer = useItem<ProposalDetail>(apiPath("proposals", id));
  return <Loaded answer={answer}>{(proposal) => <Detail key={proposal.id} proposal={proposal} />}</Loaded>;
}

function Detail({ proposal }: { readonly proposal: ProposalDetail }) {
  const t = useText();
  const [deciding, setDeciding] = useState<Decision>();
  const { skill, action, proposedBy, proposedAt, before, after, outdated, own } = proposal;
  return (
    <Page
      title={skill}
      lead={t(`proposals.actions.${action}`)}
      parent={{ to: "/proposals", title: t("proposals.title") }}
      actions={
        <>
          {before !== null && (
            <LinkButton to={screenPath("skills", skill)}>{t("proposals.openSkill")}</LinkButton>
          )}
          {own ? (
            <ActionButton
              route="DELETE /proposals/{id}"
              variant="default"
              onClick={() => setDeciding("withdraw")}
            >
              {t("proposals.withdraw")}
            </ActionButton>
          ) : (
            <Decisions outdated={outdated} onDecide={setDeciding} />
          )}
        </>
      }
    >
      {outdated && (
        <VerdictBox state="warning" title={t("proposals.outdated")}>
          <div className="muted">{t("proposals.outdatedText")}</div>
        </VerdictBox>
      )}
      {own && <p className="muted">{t("proposals.ownText")}</p>}
      <div className={outdated ? "section" : undefined}>
        <Facts
          items={[
            [t("proposals.columns.who"), personName(proposedBy)],
            [t("proposals.columns.since"), <Time key="since" at={proposedAt} />],
          ]}
        />
      </div>
      <Version title={t("proposals.after")} written={after} none={t("proposals.removed")} />
      <Version title={t("proposals.before")} written={before} none={t("proposals.isNew")} />
      {deciding !== undefined && (
        <Decide proposal={proposal} decision={deciding} onClose={() => setDeciding(undefined)} />
      )}
    </Page>
  );
}

function Decisions(props: { readonly outdated: boolean; readonly onDecide: (decision: Decision) => void }) {
  const { outdated, onDecide } = props;
  const t = useText();
  return (
    <>
      <ActionButton
        route="POST /proposals/{id}/declines"
        variant="default"
        onClick={() => onDecide("decline")}
      >
        {t("proposals.decline")}
      </ActionButton>
      <ActionButton
        route="POST /proposals/{id}/approvals"
        refused={outdated ? t("proposals.outdated") : undefined}
        onClick={() => onDecide("approve")}
      >
        {t("proposals.approve")}
      </ActionButton>
    </>
  );
}

/** The skill as it is, or as it would be; its text as it was written, so that nothing in it is hidden. */
function Version(props: { readonly title: string; readonly written: Written | null; readonly none: string }) {
  const { title, written, none } = props;
  const t = useText();
  if (written === null) {
    return (
      <Section title={title}>
        <p className="muted">{none}</p>
      </Section>
    );
  }
  const { description, tags, requiredScopes, visibility, published, content } = written;
  return (
    <Section title={title}>
      <Facts
        items={[
          [t("skills.fields.title"), written.title],
          description !== null && [t("skills.fields.description"), description],
          tags.length > 0 && [t("skills.fields.tags"), tags.join(", ")],
          [t("skills.fields.requiredScopes"), <Scopes key="scopes" keys={requiredScopes} most={100} />],
          [
            t("skills.fields.visibility"),
            visibility === "DEFAULT" ? t("skills.everybody") : t("skills.onlyAllowed"),
          ],
          !published && [t("proposals.columns.state"), t("skills.draft")],
        ]}
      />
      <figure className="snippet">
        <pre tabIndex={0}>{content}</pre>
      </figure>
    </Section>
  );
}

const requests = {
  approve: { path: ["approvals"], method: "POST" },
  decline: { path: ["declines"], method: "POST" },
  withdraw: { path: [], method: "DELETE" },
} as const;

function Decide(props: {
  readonly proposal: ProposalDetail;
  readonly decision: Decision;
  readonly onClose: () => void;
}) {
  const { proposal, decision, onClose } = props;
  const t = useText();
  const go = useGo();
  const { id, skill: name, version } = proposal;
  const { path, method } = requests[decision];
  const texts = {
    approve: {
      title: t("proposals.approveTitle", { name }),
      label: t("proposals.approve"),
      text: t("proposals.approveText"),
      done: t("proposals.approveDone", { name }),
    },
    decline: {
      title: t("proposals.declineTitle", { name }),
      label: t("proposals.decline"),
      text: t("proposals.declineText"),
      done: t("proposals.declineDone", { name }),
    },
    withdraw: {
      title: t("proposals.withdrawTitle", { name }),
      label: t("proposals.withdraw"),
      text: t("proposals.withdrawText"),
      done: t("proposals.withdrawDone", { name }),
    },
  }[decision];
  return (
    <ConfirmChange
      title={texts.title}
      confirmLabel={texts.label}
      path={apiPath("proposals", id, ...path)}
      options={{ method, version }}
      previews={decision === "approve"}
      harmless={decision === "approve"}
      affects={["/proposals", "/skills", "/overview"]}
      done={() => texts.done}
      onDone={() => go("/proposals", { replace: true })}
      onClose={onClose}
    >
      <p>{texts.text}</p>
    </ConfirmChange>
  );
}
