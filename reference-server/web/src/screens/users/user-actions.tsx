import type { SignOut, UserDetail } from "@admin/people";
import { useChange } from "../../api/change";
import { type Impact, useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useMessages } from "../../messages/language";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { toast } from "../../parts/toasts";
import { messages } from "./messages";
import { userName } from "./user-list";

interface ActionProps {
  readonly user: UserDetail;
  readonly onClose: () => void;
}

/** Disables or enables, after saying what that takes or gives. */
export function ChangeUser({ user, onClose }: ActionProps) {
  const t = useMessages(messages);
  const forget = useForget();
  const change = useChange("/users");
  const { id, enabled, version } = user;
  const name = userName(user);
  const send = <T,>(preview?: true) =>
    change<T>(apiPath("users", id), {
      method: "PATCH",
      body: { enabled: !enabled },
      version,
      query: { preview },
    });
  return (
    <ConfirmDestructive
      title={enabled ? t.disableTitle(name) : t.enableTitle(name)}
      confirmLabel={enabled ? t.disableSubmit : t.enableSubmit}
      preview={() => send<{ impact: Impact }>(true)}
      onConfirm={async () => {
        await send();
        toast(enabled ? t.disabledDone(name) : t.enabledDone(name));
        await forget("/users", "/sessions", "/log-ins", "/assignments", "/explain");
      }}
      onClose={onClose}
    >
      <p>{enabled ? t.disableText : t.enableText}</p>
    </ConfirmDestructive>
  );
}

/** Ends every session and every log-in of the person. */
export function SignOutUser({ user, onClose }: ActionProps) {
  const t = useMessages(messages);
  const forget = useForget();
  const name = userName(user);
  return (
    <ConfirmDestructive
      title={t.signOutTitle(name)}
      confirmLabel={t.signOutSubmit}
      onConfirm={async () => {
        const ended = await request<SignOut>(apiPath("users", user.id, "sign-outs"), { method: "POST" });
        toast(t.signedOut(ended.sessions, ended.logIns));
        await forget("/users", "/sessions", "/log-ins");
      }}
      onClose={onClose}
    >
      <p>{t.signOutText}</p>
    </ConfirmDestructive>
  );
}
