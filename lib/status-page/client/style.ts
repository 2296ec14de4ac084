/** Colours after Okabe and Ito: apart for every kind of colour vision. Each stands beside a sign and a word. */
export const STYLE = `:root {
  --bg: #f6f7f9; --card: #fff; --line: #dfe3e8; --text: #16202b; --soft: #576472; --accent: #0b6bb5; --accent-soft: #e3f0fa;
  --running: #009e73; --starting: #56b4e9; --stopping: #e69f00; --failed: #c94f00; --stopped: #76818d; --standby: #c3cbd4; --pending: #e3e7eb;
  --bad-bg: #fdeee4; --bad-text: #8f3a00; --warn-bg: #fdf3dc; --warn-text: #6b4a00; --good-bg: #e0f3ec; --good-text: #06543d; --idle-bg: #e9edf1; --idle-text: #45515e;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f151b; --card: #182029; --line: #2b3641; --text: #e6ebf0; --soft: #98a6b4; --accent: #6cb8f0; --accent-soft: #15314a;
    --running: #25a983; --starting: #8fd0f5; --stopping: #e8b13a; --failed: #ee7d3a; --stopped: #818d99; --standby: #44505c; --pending: #2c3741;
    --bad-bg: #40220f; --bad-text: #ffb98e; --warn-bg: #3a2d0d; --warn-text: #f2cd7c; --good-bg: #0f3429; --good-text: #86d8bd; --idle-bg: #27323d; --idle-text: #b4c0cb;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.25rem; font-weight: 650; line-height: 1.25; }
h2 { font-size: .8rem; font-weight: 650; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); margin-bottom: .6rem; }
.top, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.top { display: flex; flex-wrap: wrap; gap: .75rem 2rem; justify-content: space-between; align-items: flex-end; padding-top: 1.5rem; }
.who { min-width: 0; flex: 1 1 18rem; }
.eyebrow { font-size: .8rem; color: var(--soft); }
.signals { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.probes { display: contents; }
section { margin-top: 1.75rem; }
.chip { display: inline-flex; align-items: center; gap: .4em; padding: .15rem .6rem; border-radius: 999px; font-size: .8rem; font-weight: 600; white-space: nowrap; background: var(--idle-bg); color: var(--idle-text); }
.chip::before { content: attr(data-sign); font-size: .85em; line-height: 1; }
.chip[data-tone=good] { background: var(--good-bg); color: var(--good-text); }
.chip[data-tone=warn] { background: var(--warn-bg); color: var(--warn-text); }
.chip[data-tone=bad] { background: var(--bad-bg); color: var(--bad-text); }
.chip[data-tone=none] { background: none; color: var(--soft); padding: 0; font-weight: 400; }
.chip[data-sign=""]::before { content: none; }
.chip[data-tone=lead] { background: var(--accent); color: var(--card); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .75rem; }
.card, .rows, .timeline, .history { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.card { padding: .9rem 1rem; display: flex; flex-direction: column; gap: .5rem; border-left: .3rem solid var(--standby); }
.card[data-leading=true] { border-left-color: var(--accent); }
.head { display: flex; gap: .5rem; justify-content: space-between; align-items: flex-start; }
.head h3 { font-size: 1.05rem; font-weight: 650; min-width: 0; }
dl { margin: 0; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .9rem; font-size: .9rem; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
meter { width: 100%; height: .5rem; display: block; }
.row { display: grid; grid-template-columns: minmax(0, 1fr) 7rem 9.5rem 7rem 6.5rem; gap: .2rem 1rem; align-items: center; padding: .65rem 1rem; }
.row + .row { border-top: 1px solid var(--line); }
.name { font-weight: 600; }
.card button { align-self: flex-start; margin-top: auto; }
.counts { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: center; }
.sub { font-size: .8rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.row .act { text-align: right; }
.rows:not([data-actions=true]) .row { grid-template-columns: minmax(0, 1fr) 7rem 9.5rem 7rem; }
.error { grid-column: 1 / -1; font: .8rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; max-height: 7.5em; overflow: auto; padding: .4rem .6rem; border-radius: .35rem; background: var(--bad-bg); color: var(--bad-text); }
button { font: inherit; font-size: .82rem; font-weight: 600; color: var(--text); background: transparent; border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .65rem; min-height: 2rem; cursor: pointer; }
button:hover { border-color: var(--soft); }
button:disabled { color: var(--soft); cursor: default; opacity: .6; }
button[data-armed=true] { background: var(--failed); border-color: var(--failed); color: #fff; }
button[aria-pressed=true] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.message, .note { margin-top: 1rem; padding: .6rem .9rem; border-radius: .5rem; background: var(--warn-bg); color: var(--warn-text); }
.message[data-tone=good] { background: var(--good-bg); color: var(--good-text); }
.message[data-tone=bad] { background: var(--bad-bg); color: var(--bad-text); }
.empty { padding: .9rem 1rem; color: var(--soft); }
.reasons { flex-basis: 100%; font-size: .85rem; color: var(--bad-text); }
footer { padding-top: 1.5rem; padding-bottom: 2rem; font-size: .8rem; color: var(--soft); }
[hidden] { display: none !important; }
@media (max-width: 44rem) {
  .top, main, footer { padding-left: .9rem; padding-right: .9rem; }
  .row, .rows:not([data-actions=true]) .row { grid-template-columns: minmax(0, 1fr) auto; }
  .row > .what { grid-area: 1 / 1; } .row > .state { grid-area: 1 / 2; justify-self: end; align-self: start; }
  .row > .since { grid-area: 2 / 1; } .row > .counts { grid-area: 3 / 1; } .row > .act { grid-area: 2 / 2 / 4 / 2; } .row > .error { grid-row: 4; }
  button { min-height: 2.5rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .chip, .card { transition: background-color .25s, border-color .25s, color .25s; }
}`;
