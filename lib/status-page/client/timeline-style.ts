export const TIMELINE_STYLE = `.bar { display: flex; flex-wrap: wrap; gap: .4rem 1rem; justify-content: space-between; align-items: center; margin-bottom: .6rem; }
.bar h2 { margin: 0; }
.ranges { display: flex; gap: .3rem; }
.timeline { padding: .8rem 1rem .4rem; }
.lane { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .9rem; align-items: center; padding: .2rem 0; }
.lane > .label { font-size: .82rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane[data-kind=election] > .label { font-weight: 650; }
.lane[data-first=true] { margin-top: .5rem; padding-top: .7rem; border-top: 1px solid var(--line); }
.lane > svg { display: block; width: 100%; height: 1.35rem; overflow: hidden; border-radius: .25rem; background: var(--bg); }
.lane[data-kind=election] > svg { height: 1.7rem; }
.lane[data-kind=axis] > svg { height: 1.4rem; background: none; border-radius: 0; overflow: visible; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
svg .own { fill: var(--accent); } svg .own-text { fill: var(--card); font-weight: 600; }
svg .other { fill: var(--standby); } svg .other-text { fill: var(--text); }
svg .settling { fill: var(--stopping); }
svg .grid { stroke: var(--line); }
svg .running { fill: var(--running); } svg .starting { fill: var(--starting); } svg .stopping { fill: var(--stopping); }
svg .failed { fill: var(--failed); } svg .stopped { fill: var(--stopped); } svg .standby { fill: var(--standby); } svg .pending { fill: var(--pending); }
svg .cross { stroke: var(--failed); stroke-width: 2.5; fill: none; } svg .halo { fill: var(--card); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-top: .5rem; font-size: .8rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: .4rem; }
.legend svg { width: 1rem; height: .7rem; border-radius: .15rem; }
.history { max-height: 26rem; overflow: auto; }
.history li { display: grid; grid-template-columns: 6.6rem 7.5rem minmax(0, 1fr); gap: .1rem .8rem; align-items: baseline; padding: .45rem 1rem; font-size: .9rem; }
.history li + li { border-top: 1px solid var(--line); }
.history time { color: var(--soft); font-size: .82rem; font-variant-numeric: tabular-nums; }
.history .chip { justify-self: start; }
.history .why { display: block; font-size: .82rem; color: var(--soft); max-height: 6em; overflow: auto; }
@media (max-width: 44rem) {
  .lane { grid-template-columns: minmax(0, 1fr); gap: .1rem; }
  .lane[data-kind=axis] > .label { display: none; }
  .history li { grid-template-columns: max-content minmax(0, 1fr); }
  .history li > .what { grid-column: 1 / -1; }
}`;
