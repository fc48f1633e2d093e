import { Menu, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useSession } from "../api/session";
import { languages, setLanguage, useLanguage, useText } from "../text/text";
import { Icon } from "../parts/icon";
import type { MenuProps } from "../parts/later";

const schemes = ["light", "dark", "auto"] as const;

/** The signed-in person, the colors and the language of the console, and signing out. */
export default function AccountMenu(
  props: MenuProps & { readonly name: string; readonly onHelp: () => void },
) {
  const { name, onHelp, button } = props;
  const t = useText();
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const language = useLanguage();
  const queries = useQueryClient();
  const changeLanguage = async (next: string) => {
    await setLanguage(next);
    // Responses of the server contain sentences.
    await queries.invalidateQueries();
  };
  return (
    <Menu
      defaultOpened
      position="bottom-end"
      width={240}
      keepMounted={false}
      withinPortal={false}
      checkIcon={<Icon name="check" />}
      alignItemsLabels="with-indicators"
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <div className="account-who">
          <strong>{name}</strong>
          {user.name !== null && <span>{user.email}</span>}
        </div>
        <Menu.Divider />
        <Menu.Label>{t("shell.appearance")}</Menu.Label>
        <div role="group" aria-label={t("shell.appearance")}>
          {schemes.map((scheme) => (
            <Menu.RadioItem
              key={scheme}
              value={scheme}
              checked={colorScheme === scheme}
              onChange={() => setColorScheme(scheme)}
            >
              {t(`shell.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Label>{t("shell.language")}</Menu.Label>
        <div role="group" aria-label={t("shell.language")}>
          {languages.map((key) => (
            <Menu.RadioItem
              key={key}
              lang={key}
              value={key}
              checked={language === key}
              onChange={() => void changeLanguage(key)}
            >
              {new Intl.DisplayNames(key, { type: "language" }).of(key)}
            </Menu.RadioItem>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item onClick={onHelp} rightSection={<kbd className="key">?</kbd>}>
          {t("shell.keyboard")}
        </Menu.Item>
        <Menu.Item component="a" href="/">
          {t("shell.ownPage")}
        </Menu.Item>
        <Menu.Item component="a" href="/sign-out">
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
