import type { AdminSkill } from "@admin/skills";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { useDescribeError } from "../../parts/describe-error";
import { ImpactPreview } from "../../parts/impact-preview";
import { toast } from "../../parts/toasts";
import { Problem, useAction } from "../../parts/use-action";

const affected = ["/skills", "/overview"];

/** A draft, who would see it, and a button that publishes it. */
export function Publishing({ skill, blocked }: { readonly skill: AdminSkill; readonly blocked: boolean }) {
  const t = useText();
  const forget = useForget();
  const describe = useDescribeError();
  const change = useChange("/skills");
  const { run, working, problem } = useAction();
  const path = apiPath("skills", skill.id);
  const options = { method: "PATCH", body: { published: true }, version: skill.version } as const;
  const { data, error } = useQuery({
    queryKey: ["impact", "publish", skill.id, skill.version],
    queryFn: async () =>
      (await change<{ impact: Impact }>(path, { ...options, query: { preview: true } })).impact,
    gcTime: 0,
    retry: false,
  });
  const publish = () =>
    run(async () => {
      await change(path, options);
      await forget(...affected);
      toast(t("skills.publishedDone", { name: skill.title }));
    });
  return (
    <section className="note-box" aria-label={t("skills.draft")}>
      <p>{t("skills.draftText")}</p>
      <div aria-live="polite">
        {data === undefined ? (
          <p className="muted">{t("parts.impact.loading")}</p>
        ) : (
          <ImpactPreview impact={data} />
        )}
      </div>
      <Problem>{error === null ? problem : describe(error)}</Problem>
      {blocked && <p className="muted">{t("skills.saveFirst")}</p>}
      <div>
        <Button loading={working} disabled={blocked || data === undefined} onClick={() => void publish()}>
          {t("skills.publish")}
        </Button>
      </div>
    </section>
  );
}

/** Makes a published skill a draft again, after showing who no longer sees it. */
export function WithdrawSkill(props: { readonly skill: AdminSkill; readonly onClose: () => void }) {
  const t = useText();
  const { id, title: name, version } = props.skill;
  return (
    <ConfirmChange
      title={t("skills.withdrawTitle", { name })}
      confirmLabel={t("skills.withdraw")}
      path={apiPath("skills", id)}
      options={{ method: "PATCH", body: { published: false }, version }}
      affects={affected}
      done={() => t("skills.withdrawn", { name })}
      onClose={props.onClose}
    >
      <p>{t("skills.withdrawText")}</p>
    </ConfirmChange>
  );
}
