import { useText } from "../text/text";

/** What index.html shows until the code is there, until it is known who asks: the look does not change in between. */
export function Starting() {
  const t = useText();
  return (
    <div className="starting" aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("shell.loading")}
      </p>
      <div />
      <span />
      <span />
      <span />
    </div>
  );
}
