import { Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { checkSignedIn } from "../api/session";
import { useText } from "../text/text";
import { Dialog } from "../parts/dialog";

/** Asks for a new sign-in in another window. The current screen keeps everything typed into it. */
export default function SessionEnded() {
  const [opened, setOpened] = useState(false);
  const t = useText();

  useEffect(() => {
    const look = () => void checkSignedIn();
    const timer = setInterval(look, 3000);
    addEventListener("focus", look);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", look);
    };
  }, []);

  return (
    <Dialog title={t("shell.sessionEnded.title")}>
      <Text size="sm">{t("shell.sessionEnded.text")}</Text>
      <Group mt="lg" justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {opened && t("shell.sessionEnded.waiting")}
        </Text>
        <Button
          component="a"
          href="/sign-in?return_to=%2Fadmin%2Fsigned-in"
          target="_blank"
          onClick={() => setOpened(true)}
          data-autofocus
        >
          {t("shell.sessionEnded.open")}
        </Button>
      </Group>
    </Dialog>
  );
}
