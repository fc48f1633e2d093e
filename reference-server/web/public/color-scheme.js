/* Runs before anything is painted, so that a chosen colour scheme never flashes the other one. */
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("authz-color-scheme");
  } catch {
    // No storage: the system decides.
  }
  const dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.mantineColorScheme = dark ? "dark" : "light";
})();
