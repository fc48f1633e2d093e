import type { SignOut, User, UserDetail } from "@admin/people";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
import { userName } from "./user-list";

interface ActionProps {
  readonly user: UserDetail;
  readonly onClose: () => void;
}

/** Disables or enables, after saying what that takes or gives. */
export function ChangeUser({ user, onClose }: ActionProps) {
  const t = useText();
  const forget = useForget();
  const change = useChange("/users");
  const { id, enabled, version } = user;
  const name = userName(user);
  const refresh = () => forget("/users", "/sessions", "/grants", "/assignments", "/explain");
  const send = <T,>(preview?: true) =>
    change<T>(apiPath("users", id), {
      method: "PATCH",
      body: { enabled: !enabled },
      version,
      query: { preview },
    });
  return (
    <ConfirmDestructive
      title={enabled ? t("users.disableTitle", { name }) : t("users.enableTitle", { name })}
      confirmLabel={enabled ? t("users.disableSubmit") : t("users.enableSubmit")}
      preview={() => send<{ impact: Impact }>(true)}
      onConfirm={async () => {
        const changed = await send<User>();
        const undo = async () => {
          const body = { enabled };
          await change(apiPath("users", id), { method: "PATCH", body, version: changed.version });
          await refresh();
        };
        toast(enabled ? t("users.disabledDone", { name }) : t("users.enabledDone", { name }), {
          run: undo,
          done: enabled ? t("users.disabledUndone", { name }) : t("users.enabledUndone", { name }),
        });
        await refresh();
      }}
      onClose={onClose}
    >
      <p>{enabled ? t("users.disableText") : t("users.enableText")}</p>
    </ConfirmDestructive>
  );
}

/** Ends every session and every grant of the person. */
export function SignOutUser({ user, onClose }: ActionProps) {
  const t = useText();
  const forget = useForget();
  const name = userName(user);
  return (
    <ConfirmDestructive
      title={t("users.signOutTitle", { name })}
      confirmLabel={t("users.signOutSubmit")}
      onConfirm={async () => {
        const ended = await request<SignOut>(apiPath("users", user.id, "sign-outs"), { method: "POST" });
        toast(
          t("users.signedOut", {
            browsers: ended.sessions,
            apps: ended.grants,
            total: ended.sessions + ended.grants,
          }),
        );
        await forget("/users", "/sessions", "/grants");
      }}
      onClose={onClose}
    >
      <p>{t("users.signOutText")}</p>
    </ConfirmDestructive>
  );
}
