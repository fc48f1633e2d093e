import {
  type Action,
  type FileEntry,
  fileText,
  type Host,
  remoteServer,
  type Setup,
  setUpAll,
} from "@authz/agent-tools/hosts";
import type { AssignedPerson } from "../store/assignments.js";
import { agentsScope } from "../store/system-scopes.js";
import type { Texts } from "../text/texts.js";
import { renderCopyable, renderPeopleToAsk } from "./fragments.js";
import type { Frame } from "./frame.js";
import { Html, html } from "./html.js";

export interface AgentsSection {
  readonly issuer: string;
  /** Whom to ask for the permission to use an agent host; `undefined` when the person has it or may have it. */
  readonly askForAgents: readonly AssignedPerson[] | undefined;
}

/** How a person connects the agent they use: a sentence for the agent itself, or the exact lines for its host. */
export function renderAgents({ issuer, askForAgents }: AgentsSection, { texts }: Frame): Html {
  const { text, parts } = texts;
  if (askForAgents !== undefined) {
    const words = {
      ask: text("pages.home.ask"),
      nobody: text("pages.home.askNobody"),
      askHere: text("pages.access.send"),
    };
    return html`<p>${parts<Html>("pages.agents.missing", { scope: html`<code>${agentsScope}</code>` })}</p>
${renderPeopleToAsk(askForAgents, words)}`;
  }
  const hosts = setUpAll(remoteServer(issuer));
  const sentence = text("pages.agents.sentence", { address: `${issuer}/install.md` });
  return html`<p class="muted">${text("pages.agents.lead")}</p>
<h3 id="agent-itself">${text("pages.agents.itself")}</h3>
${renderCopyable(sentence, texts, "agent-itself")}
<h3 id="agent-hosts">${text("pages.agents.byHand")}</h3>
<div class="hosts" role="radiogroup" aria-labelledby="agent-hosts">
${hosts.map(({ host, setup }, index) => renderHost(host, setup, { texts, isFirst: index === 0 }))}</div>`;
}

/** A choice and what it shows. The radio buttons do the choosing, so this works without a script. */
function renderHost(
  { key, name }: Host,
  setup: Setup,
  { texts, isFirst }: { readonly texts: Texts; readonly isFirst: boolean },
): Html {
  const id = `agent-${key}`;
  return html`<input type="radio" name="agent-host" id="${id}" value="${key}"${isFirst && html` checked`}><label for="${id}">${name}</label>
<div class="lines">
${renderLines(setup, { host: name, texts, id })}</div>
`;
}

interface Place {
  readonly host: string;
  readonly texts: Texts;
  /** What the ids of this host begin with. */
  readonly id: string;
}

/** The ways into one host, the shortest first, and what to do then. */
function renderLines(setup: Setup, place: Place): Html {
  const { host, texts } = place;
  const { text } = texts;
  const { command, file, form, link, signIn, check } = setup;
  // What is typed in the same place is copied at once.
  const typed = command !== undefined && signIn?.in === "shell" ? `${command}\n${signIn.line}` : command;
  const blocks = [
    link &&
      html`<p class="buttons"><a class="button" href="${link}">${text("pages.agents.open", { host })}</a></p>`,
    typed && renderBlock("shell", text("pages.agents.inShell"), typed, place),
    form &&
      renderBlock(
        "form",
        html`${texts.parts<Html>("pages.agents.inForm", { host, menu: renderMenu(form.menu) })}`,
        form.address,
        place,
      ),
    file && renderFile(file, command === undefined && link === undefined, place),
    signIn && typed !== `${command ?? ""}\n${signIn.line}` && renderSignIn(signIn, place),
    html`<p class="hint">${texts.parts<Html>("pages.agents.check", { host, where: renderAction(check) })}</p>`,
  ];
  return html`${blocks.map((block) => (block instanceof Html ? html`${block}\n` : ""))}`;
}

function renderFile(file: FileEntry, isOnlyWay: boolean, place: Place): Html {
  const lead = place.texts.text(`pages.agents.${isOnlyWay ? "inFile" : "orInFile"}`, { file: file.path });
  const lines = fileText(file).trimEnd();
  if (isOnlyWay) return renderBlock("file", lead, lines, place);
  const about = `${place.id}-file`;
  return html`<details><summary id="${about}">${lead}</summary>
${renderCopyable(lines, place.texts, about)}
</details>`;
}

function renderSignIn(signIn: Action, place: Place): Html {
  const lead = place.texts.text(`pages.agents.signIn.${signIn.in}`, { host: place.host });
  if (signIn.in === "menu") return html`<p>${lead} ${renderAction(signIn)}</p>`;
  return renderBlock("sign-in", lead, signIn.line, place);
}

/** Words, and the lines that they announce. */
function renderBlock(part: string, lead: string | Html, lines: string, { texts, id }: Place): Html {
  const about = `${id}-${part}`;
  return html`<p id="${about}">${lead}</p>
${renderCopyable(lines, texts, about)}`;
}

function renderAction({ in: where, line }: Action): Html {
  return where === "menu" ? renderMenu(line) : html`<code>${line}</code>`;
}

/** As its maker names it, in English. */
function renderMenu(menu: string): Html {
  return html`<em lang="en">${menu}</em>`;
}
