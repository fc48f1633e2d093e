import type { AdminSkill } from "@admin/skills";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { useDescribeError } from "../../parts/describe-error";
import { ImpactPreview } from "../../parts/impact-preview";
import { toast } from "../../parts/toasts";

function usePublish({ id, version }: AdminSkill, published: boolean) {
  const forget = useForget();
  const change = useChange("/skills");
  const send = <T,>(preview?: true) =>
    change<T>(apiPath("skills", id), { method: "PATCH", body: { published }, version, query: { preview } });
  return {
    preview: () => send<{ impact: Impact }>(true),
    save: async () => {
      await send();
      await forget("/skills", "/overview");
    },
  };
}

/** A draft, who would see it, and one click that publishes it. */
export function Publishing({ skill, blocked }: { readonly skill: AdminSkill; readonly blocked: boolean }) {
  const t = useText();
  const describe = useDescribeError();
  const { preview, save } = usePublish(skill, true);
  const [working, setWorking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { data, error } = useQuery({
    queryKey: ["impact", "publish", skill.id, skill.version],
    queryFn: async () => (await preview()).impact,
    gcTime: 0,
    retry: false,
  });
  const publish = async () => {
    setWorking(true);
    setProblem(undefined);
    try {
      await save();
      toast(t("skills.publishedDone", { name: skill.title }));
    } catch (failure) {
      setProblem(describe(failure));
    } finally {
      setWorking(false);
    }
  };
  const refused = error === null ? problem : describe(error);
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
      {refused !== undefined && (
        <p className="problem" role="alert">
          {refused}
        </p>
      )}
      {blocked && <p className="muted">{t("skills.saveFirst")}</p>}
      <div>
        <Button loading={working} disabled={blocked || data === undefined} onClick={() => void publish()}>
          {t("skills.publish")}
        </Button>
      </div>
    </section>
  );
}

/** Makes a published skill a draft again, after saying who no longer sees it. */
export function WithdrawSkill({
  skill,
  onClose,
}: {
  readonly skill: AdminSkill;
  readonly onClose: () => void;
}) {
  const t = useText();
  const { preview, save } = usePublish(skill, false);
  return (
    <ConfirmDestructive
      title={t("skills.withdrawTitle", { name: skill.title })}
      confirmLabel={t("skills.withdraw")}
      preview={preview}
      onConfirm={async () => {
        await save();
        toast(t("skills.withdrawn", { name: skill.title }));
      }}
      onClose={onClose}
    >
      <p>{t("skills.withdrawText")}</p>
    </ConfirmDestructive>
  );
}
