import { UnstyledButton } from "@mantine/core";
import { useSession } from "../api/session";
import { menuLater } from "../parts/later";
import { useText } from "../text/text";

const AccountMenu = menuLater(() => import("./account-menu"));

/** Shows the initials of the person, and opens the menu of the account. */
export function AccountButton({ onHelp }: { readonly onHelp: () => void }) {
  const t = useText();
  const { user } = useSession();
  const name = user.name ?? user.email ?? "?";
  return (
    <AccountMenu
      name={name}
      onHelp={onHelp}
      draw={(handlers) => (
        <UnstyledButton
          className="account-button"
          aria-label={`${t("shell.account")}: ${name}`}
          {...handlers}
        >
          <span className="face" aria-hidden="true" data-initials={initials(name)} />
        </UnstyledButton>
      )}
    />
  );
}

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  return `${words[0]?.[0] ?? ""}${words.length > 1 && !name.includes("@") ? (words.at(-1)?.[0] ?? "") : ""}`.toUpperCase();
}
