import type { SignOut, User, UserDetail } from "@admin/people";
import { apiPath } from "../../api/request";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { personName } from "../../parts/person";
import { useText } from "../../text/text";

interface ActionProps {
  readonly user: UserDetail;
  readonly onClose: () => void;
}

/** Disables or enables a person, after showing what that takes or gives. */
export function ChangeUser({ user, onClose }: ActionProps) {
  const t = useText();
  const { id, enabled, version } = user;
  const name = personName(user);
  return (
    <ConfirmChange<User>
      title={enabled ? t("users.disableTitle", { name }) : t("users.enableTitle", { name })}
      confirmLabel={enabled ? t("users.disableSubmit") : t("users.enableSubmit")}
      path={apiPath("users", id)}
      options={{ method: "PATCH", body: { enabled: !enabled }, version }}
      affects={["/users", "/sessions", "/grants", "/assignments", "/explain", "/connections"]}
      done={() => (enabled ? t("users.disabledDone", { name }) : t("users.enabledDone", { name }))}
      undo={(changed) => ({
        options: { method: "PATCH", body: { enabled }, version: changed.version },
        done: enabled ? t("users.disabledUndone", { name }) : t("users.enabledUndone", { name }),
      })}
      onClose={onClose}
    >
      <p>{enabled ? t("users.disableText") : t("users.enableText")}</p>
    </ConfirmChange>
  );
}

/** Ends every session and every grant of the person. */
export function SignOutUser({ user, onClose }: ActionProps) {
  const t = useText();
  return (
    <ConfirmChange<SignOut>
      title={t("users.signOutTitle", { name: personName(user) })}
      confirmLabel={t("users.signOutSubmit")}
      path={apiPath("users", user.id, "sign-outs")}
      options={{ method: "POST" }}
      previews={false}
      affects={["/users", "/sessions", "/grants"]}
      done={({ sessions, grants }) =>
        t("users.signedOut", { browsers: sessions, apps: grants, total: sessions + grants })
      }
      onClose={onClose}
    >
      <p>{t("users.signOutText")}</p>
    </ConfirmChange>
  );
}
