import type { Session } from "@admin/session";
import { UnstyledButton } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useSession } from "../api/session";
import { useText } from "../text/text";

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

export function accountName({ name, email }: Session["user"]): string {
  return name ?? email ?? "?";
}

/** The initials in a circle. */
export function Face({ name }: { readonly name: string }) {
  return <span className="face" aria-hidden="true" data-initials={initials(name)} />;
}

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  return `${words[0]?.[0] ?? ""}${words.length > 1 && !name.includes("@") ? (words.at(-1)?.[0] ?? "") : ""}`.toUpperCase();
}
