import type { UserDetail } from "@admin/people";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useText } from "../../text/text";
import { Dialog } from "../../parts/dialog";
import { Loaded } from "../../parts/loaded";
import { personName } from "../../parts/person";
import { GiveScopes } from "../../screens/explain/give-scopes";
import { StageKey } from "../../screens/keys/key-actions";
import { ChangeUser, SignOutUser } from "../../screens/users/user-actions";
import type { Act } from "./act";

/** The dialog of an act, over the current screen: its impact, and a button that confirms it. */
export default function ActDialog({ act, onClose }: { readonly act: Act; readonly onClose: () => void }) {
  switch (act.kind) {
    case "rotate":
      return <StageKey onClose={onClose} />;
    case "give":
      return <GiveScopes email={act.email} scopes={act.scopes} onClose={onClose} />;
    case "disable":
    case "enable":
    case "signOut":
    default:
      return <OnPerson kind={act.kind} id={act.user} onClose={onClose} />;
  }
}

function OnPerson(props: {
  readonly kind: "disable" | "enable" | "signOut";
  readonly id: string;
  readonly onClose: () => void;
}) {
  const { kind, id, onClose } = props;
  const t = useText();
  const answer = useItem<UserDetail>(apiPath("users", id));
  const user = answer.data;
  if (user === undefined) {
    if (!answer.isError) return undefined;
    return (
      <Dialog title={t("palette.title")} onClose={onClose}>
        <Loaded answer={answer}>{() => undefined}</Loaded>
      </Dialog>
    );
  }
  if (kind === "signOut") return <SignOutUser user={user} onClose={onClose} />;
  return <ChangeOnce key={id} kind={kind} user={user} onClose={onClose} />;
}

/** Disables or enables a person, unless that has happened already: the dialog would offer the opposite. */
function ChangeOnce(props: {
  readonly kind: "disable" | "enable";
  readonly user: UserDetail;
  readonly onClose: () => void;
}) {
  const { kind, user, onClose } = props;
  const t = useText();
  if (user.enabled === (kind === "disable")) return <ChangeUser user={user} onClose={onClose} />;
  const name = personName(user);
  const disables = kind === "disable";
  return (
    <Dialog
      title={disables ? t("palette.acts.disable.entry", { name }) : t("palette.acts.enable.entry", { name })}
      onClose={onClose}
    >
      <p>
        {disables ? t("palette.acts.disable.already", { name }) : t("palette.acts.enable.already", { name })}
      </p>
    </Dialog>
  );
}
