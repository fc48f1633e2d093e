// Buttons that copy a text. They are hidden until this runs, because without it they do nothing.
const said = document.createElement("p");
said.className = "unseen";
said.setAttribute("role", "status");
document.body.append(said);

// Browsers have no clipboard for pages without TLS, but for those of this computer.
if (navigator.clipboard !== undefined) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.dataset.action = button.textContent;
    button.addEventListener("click", () => void copy(button));
  }
}

async function copy(button) {
  const { copy: text, copied, failed, action } = button.dataset;
  const outcome = await navigator.clipboard.writeText(text).then(
    () => copied,
    () => failed,
  );
  button.textContent = outcome;
  said.textContent = outcome;
  if (outcome === failed) selectLines(button);
  setTimeout(() => {
    button.textContent = action;
    said.textContent = "";
  }, 3000);
}

/** Whoever may not use the clipboard copies by hand. */
function selectLines(button) {
  const lines = button.parentElement.querySelector("code");
  if (lines !== null) getSelection().selectAllChildren(lines);
}
