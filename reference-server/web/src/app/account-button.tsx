import { UnstyledButton } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useSession } from "../api/session";
import { useText } from "../text/text";
import { accountName, Face } from "./account-face";

const loadMenu = () => import("./account-menu");
const AccountMenu = lazy(loadMenu);

/** Opens the menu of the account, which loads when somebody points at it. */
export function AccountButton({ onHelp }: { readonly onHelp: () => void }) {
  const t = useText();
  const { user } = useSession();
  const [asked, setAsked] = useState(false);
  const name = accountName(user);
  const button = (
    <UnstyledButton
      className="account-button"
      aria-label={`${t("shell.account")}: ${name}`}
      aria-haspopup="menu"
      aria-expanded={asked}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setAsked(true)}
    >
      <Face name={name} />
    </UnstyledButton>
  );
  if (!asked) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu onHelp={onHelp} />
    </Suspense>
  );
}
