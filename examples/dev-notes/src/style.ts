/** Looks different from the company's pages, to show that this is a third party's site. */
export const STYLE = `
:root { color-scheme: light dark; --text: #24211a; --muted: #6a6252; --line: #e2dbc9; --card: #fffdf7; --ground: #f7f2e4; --accent: #8a5a00; --tint: #fbeecb; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #eee9dc; --muted: #b0a78f; --line: #423c2e; --card: #23201a; --ground: #17150f; --accent: #f2c14e; --tint: #3b321b; --on-accent: #17150f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 12vh 1rem 3rem; }
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1rem .25rem; font-weight: 650; }
.brand span:last-child { color: var(--muted); font-weight: 400; }
.mark { width: 1rem; height: 1.2rem; border-radius: .15rem .6rem .15rem .15rem; background: var(--accent); }
.card { padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
h1 { margin: 0 0 .35rem; font-size: 1.35rem; line-height: 1.3; letter-spacing: -.01em; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
.card p { margin: 0 0 1.25rem; color: var(--muted); }
.card p strong { color: var(--text); }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; }
.row { display: flex; align-items: center; gap: .9rem; width: 100%; margin: 0 0 .6rem; padding: .8rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: none; color: inherit; font: inherit; text-align: left; text-decoration: none; }
.row > button { flex: none; margin-left: auto; }
button, a.row { cursor: pointer; }
button.row:hover, a.row:hover { border-color: var(--accent); background: var(--tint); }
h1 + .row { margin-top: 1rem; }
.row + p { margin-top: 1.25rem; margin-bottom: .4rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.face { flex: none; display: grid; place-items: center; width: 2.4rem; height: 2.4rem; border-radius: .4rem; background: var(--tint); color: var(--accent); font-size: .9rem; font-weight: 650; }
.words { display: grid; min-width: 0; }
.name { font-weight: 600; }
.permissions li { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; padding: .45rem 0; border-bottom: 1px solid var(--line); }
.notes li { padding: .6rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.notes li > span:not(.name) { display: block; color: var(--muted); }
.notes li > .note { font-size: .85rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-top: 1.5rem; }
.pair button, .row > button { padding: .55rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); color: inherit; font: inherit; }
.pair button:hover, .row > button:hover { border-color: var(--accent); }
.pair .primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
.quiet { display: block; width: 100%; margin-top: .9rem; padding: .55rem; border: 0; background: none; color: var(--muted); font: inherit; font-size: .9rem; }
.quiet:hover { color: var(--text); text-decoration: underline; }
.small, .card p.small { margin: 1rem .25rem 0; color: var(--muted); font-size: .85rem; }
a { color: var(--accent); }
code { color: var(--muted); font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
`;
