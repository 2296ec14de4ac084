/** When what ran, who led, and what failed. Positions are percentages, so that it fits any width. */
export const TIMELINE_SCRIPT = String.raw`
var RANGES = [['1 min', 60e3], ['10 min', 600e3], ['1 h', 3600e3], ['All', 0]];
var range = RANGES[0];
function componentParts(name) {
  var parts = [];
  var marks = [];
  var last;
  doc.history.forEach(function (it) {
    if (it.kind === 'health' && it.component === name && !it.healthy) marks.push({ at: it.at, text: 'unhealthy: ' + it.error });
    if (it.kind !== 'component' || it.component !== name) return;
    parts.push({ from: last ? last.at : it.at - it.durationMs, to: it.at, kind: it.from, text: it.from });
    if (it.to === 'failed') marks.push({ at: it.at, text: 'failed: ' + it.error });
    last = it;
  });
  doc.components.forEach(function (it) {
    if (it.name === name) parts.push({ from: last ? last.at : it.since, to: now(), kind: it.status, text: it.status });
  });
  return { parts: parts, marks: marks };
}
function electionParts(election) {
  var parts = [];
  var open;
  var settling;
  function close(at) { if (open) { open.to = at; parts.push(open); open = undefined; } }
  function begin(from, kind, identity, token) {
    open = { from: from, kind: kind, label: kind === 'own' ? 'this replica' : identity, text: identity + (token ? ', token ' + token : '') };
  }
  doc.history.forEach(function (it) {
    if (it.election !== election.election) return;
    if (it.kind === 'acquired') { close(it.at); begin(it.at, 'own', it.identity, it.fencingToken); }
    if (it.kind === 'lost') {
      if (!open || open.kind !== 'own') begin(it.at - it.durationMs, 'own', it.identity, it.fencingToken);
      close(it.at);
      settling = it.at;
    }
    if (it.kind === 'settled' && settling !== undefined) {
      parts.push({ from: settling, to: it.at, kind: 'settling', text: 'work of the term settles' });
      settling = undefined;
    }
    if (it.kind === 'observed' && (!open || open.kind !== 'own')) {
      if (it.leader && open && open.label === it.leader.identity) return;
      close(it.at);
      if (it.leader && it.leader.identity !== doc.identity) begin(it.at, 'other', it.leader.identity, it.leader.fencingToken);
    }
  });
  if (!open && parts.length === 0 && election.leader) {
    begin(election.leader.since, election.leading ? 'own' : 'other', election.leader.identity, election.leader.fencingToken);
  }
  if (settling !== undefined) parts.push({ from: settling, to: now(), kind: 'settling', text: 'work of the term settles' });
  close(now());
  return { parts: parts, marks: [] };
}
function percent(at, view) { return ((at - view.from) / (view.to - view.from)) * 100; }
function part(svg, it, view) {
  var left = Math.max(0, percent(it.from, view));
  var right = Math.min(100, percent(it.to, view));
  if (right < 0 || left > 100) return;
  var box = draw('rect', { x: left + '%', y: '0', width: Math.max(0.15, right - left) + '%', height: '100%', class: it.kind });
  box.append(draw('title', {}, it.text + '\n' + clockTime(it.from, true) + ' \u2013 ' + clockTime(it.to, true) + ' (' + length(it.to - it.from) + ')'));
  svg.append(box);
  var room = (right - left) / 100 * svg.lifecycleWidth;
  if (!it.label || room < 48) return;
  var fits = Math.floor((room - 12) / 7);
  // Names of replicas differ at their end.
  var text = it.label.length > fits ? '\u2026' + it.label.slice(1 - Math.max(2, fits)) : it.label;
  svg.append(draw('text', { x: left + '%', dx: '6', y: '50%', dy: '0.35em', class: it.kind + '-text' }, text));
}
function mark(svg, it, view) {
  var x = percent(it.at, view);
  if (x < 0 || x > 100) return;
  var cross = draw('svg', { x: x + '%', y: '50%', width: '1', height: '1', overflow: 'visible' });
  cross.append(draw('circle', { r: '7', class: 'halo' }), draw('path', { d: 'M-3.5-3.5 3.5 3.5M3.5-3.5-3.5 3.5', class: 'cross' }));
  cross.append(draw('title', {}, it.text + '\n' + clockTime(it.at, true)));
  svg.append(cross);
}
function makeLane(it) {
  var lane = make('div', 'lane');
  setData(lane, 'kind', it.kind);
  var label = make('div', 'label');
  label.append(isolated(it.label));
  label.title = it.label;
  var svg = draw('svg', { role: 'img' });
  svg.setAttribute('aria-label', it.kind === 'axis' ? 'Time' : 'Time line of ' + it.label);
  lane.append(label, svg);
  return lane;
}
var STEPS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800];
function axis(svg, view) {
  var most = Math.max(2, Math.floor(svg.lifecycleWidth / 90));
  var step = (STEPS.find(function (it) { return (view.to - view.from) / (it * 1000) <= most; }) || 2592000) * 1000;
  for (var at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    var x = percent(at, view);
    svg.append(draw('line', { x1: x + '%', x2: x + '%', y1: '0', y2: '4', class: 'grid' }));
    if (x > 4 && x < 96) svg.append(draw('text', { x: x + '%', y: '15', 'text-anchor': 'middle' }, clockTime(at).slice(0, step < 60000 ? 8 : 5)));
  }
}
function viewNow() {
  var to = now();
  if (range[1]) return { from: to - range[1], to: to };
  var first = doc.history.length ? doc.history[0].at : to - 60e3;
  return { from: Math.min(first, to - 10e3), to: to };
}
function showTimeline() {
  var view = viewNow();
  var lanes = doc.elections.map(function (it) { return { kind: 'election', label: it.election, content: electionParts(it) }; });
  doc.components.forEach(function (it, index) {
    lanes.push({ kind: 'component', label: it.name, first: index === 0 && doc.elections.length > 0, content: componentParts(it.name) });
  });
  lanes.push({ kind: 'axis', label: '' });
  keyed(byId('timeline'), lanes, function (it) { return it.kind + ' ' + it.label; }, makeLane, function (lane, it) {
    var svg = lane.lastChild;
    setData(lane, 'first', String(it.first === true));
    svg.lifecycleWidth = svg.clientWidth || 600;
    svg.replaceChildren();
    if (it.kind === 'axis') { axis(svg, view); return; }
    it.content.parts.forEach(function (one) { part(svg, one, view); });
    it.content.marks.forEach(function (one) { mark(svg, one, view); });
  });
}
RANGES.forEach(function (it) {
  var button = make('button', '', it[0]);
  button.type = 'button';
  button.setAttribute('aria-pressed', String(it === range));
  button.addEventListener('click', function () {
    range = it;
    Array.from(byId('ranges').children).forEach(function (other) { other.setAttribute('aria-pressed', String(other === button)); });
    if (doc) showTimeline();
  });
  byId('ranges').append(button);
});
[['own', 'this replica leads'], ['other', 'another replica leads'], ['running', 'running'], ['starting', 'starting'], ['stopping', 'stopping, settling'],
  ['failed', 'failed'], ['standby', 'standby'], ['stopped', 'stopped'], ['pending', 'pending']].forEach(function (it) {
  var item = make('li');
  var svg = draw('svg', { 'aria-hidden': 'true' });
  svg.append(draw('rect', { width: '100%', height: '100%', class: it[0] }));
  item.append(svg, make('span', '', it[1]));
  byId('legend').append(item);
});`;
