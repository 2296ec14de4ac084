/** What is true now: probes, elections, components. */
export const STATE_SCRIPT = String.raw`
var STATES = new Map([
  ['running', ['\u25cf', 'good']], ['starting', ['\u25d4', 'good']], ['stopping', ['\u25d1', 'warn']], ['failed', ['\u2715', 'bad']],
  ['stopped', ['\u25a0', 'idle']], ['standby', ['\u25cb', 'idle']], ['pending', ['\u2026', 'idle']]
]);
function stateOf(status) { return STATES.get(status) || ['?', 'idle']; }
function showProbes(probes) {
  var list = [['live', 'Live', 'Not live'], ['ready', 'Ready', 'Not ready'], ['startup', 'Started', 'Not started']];
  keyed(byId('probes'), list, function (it) { return it[0]; }, function () {
    var item = make('li');
    item.append(make('span', 'chip'));
    return item;
  }, function (item, it) {
    var probe = probes[it[0]];
    var chip = item.firstChild;
    setChip(chip, probe.ok ? '\u2713' : '\u2715', probe.ok ? 'good' : 'bad', probe.ok ? it[1] : it[2]);
    chip.title = probe.reasons.join('\n');
  });
}
function fact(list, name) {
  var value = make('dd');
  list.append(make('dt', '', name), value);
  return value;
}
function makeElection(it) {
  var card = make('article', 'card');
  var head = make('div', 'head');
  var title = make('h3');
  title.append(isolated(it.election));
  var parts = { chip: make('span', 'chip'), leader: isolated(''), error: make('p', 'error'), meter: make('meter') };
  head.append(title, parts.chip);
  var list = make('dl');
  fact(list, 'Leader').append(parts.leader);
  parts.since = fact(list, 'Since');
  parts.token = fact(list, 'Token');
  parts.left = fact(list, 'Term ends');
  parts.leftName = parts.left.previousSibling;
  parts.meter.setAttribute('aria-label', 'Time left in the term');
  parts.act = actButton('Step down', 'Really step down?', function () {
    send('step-down', { election: it.election }, 'This replica steps down.');
  });
  card.append(head, list, parts.meter, parts.error, parts.act);
  card.lifecycleParts = parts;
  return card;
}
function showElection(card, it) {
  var parts = card.lifecycleParts;
  var leader = it.leader;
  var problem = it.wedged || it.error;
  setData(card, 'leading', String(it.leading));
  if (it.leading) setChip(parts.chip, '\u2605', 'lead', 'Leading');
  else if (leader) setChip(parts.chip, '\u25cb', 'idle', 'Standing by');
  else setChip(parts.chip, '\u2026', 'warn', 'No leader known');
  setText(parts.leader, it.leading ? 'this replica' : leader ? leader.identity : '\u2014');
  setText(parts.since, leader ? clockTime(leader.since, true) + ' (' + ago(leader.since) + ')' : '\u2014');
  setText(parts.token, it.fencingToken || (leader && leader.fencingToken) || '\u2014');
  var timed = it.leading && it.remainingMs !== undefined;
  parts.left.hidden = parts.leftName.hidden = parts.meter.hidden = !timed;
  if (timed) {
    var left = Math.max(0, it.remainingMs - (now() - doc.at));
    parts.most = Math.max(parts.most || 1, it.remainingMs);
    parts.meter.max = parts.most;
    parts.meter.low = parts.most / 3;
    parts.meter.value = left;
    setText(parts.left, 'in ' + (left / 1000).toFixed(1) + ' s, unless renewed');
  }
  parts.error.hidden = !problem;
  setText(parts.error, problem || '');
  parts.act.hidden = !(doc.actions && it.leading);
}
function healthError(name) {
  var last = '';
  doc.history.forEach(function (it) { if (it.kind === 'health' && it.component === name) last = it.error || ''; });
  return last;
}
function makeComponent(it) {
  var row = make('div', 'row');
  row.setAttribute('role', 'listitem');
  var what = make('div', 'what');
  what.append(isolated(it.name, 'name'));
  var parts = { sub: make('div', 'sub'), chip: make('span', 'chip'), since: make('div', 'sub since'), counts: make('div', 'sub counts'),
    health: make('span', 'chip'), restarts: make('span', 'restarts'), error: make('div', 'error') };
  what.append(parts.sub);
  parts.counts.append(parts.health, parts.restarts);
  var state = make('div', 'state');
  state.append(parts.chip);
  var act = make('div', 'act');
  parts.act = actButton('Restart', 'Really?', function () {
    send('restart', { component: it.name }, 'The component is restarted.');
  });
  act.append(parts.act);
  parts.error.tabIndex = 0;
  row.append(what, state, parts.since, parts.counts, act, parts.error);
  row.lifecycleParts = parts;
  return row;
}
function showComponent(row, it) {
  var parts = row.lifecycleParts;
  var state = stateOf(it.status);
  setChip(parts.chip, state[0], state[1], it.status);
  setText(parts.sub, (it.leaderOnly ? 'on the leader of \u201c' + it.election + '\u201d' : 'on every replica') + ' \u00b7 ' + it.criticality);
  setText(parts.since, clockTime(it.since) + ' (' + ago(it.since) + ')');
  if (it.healthy === undefined) setChip(parts.health, '', 'none', 'no check');
  else setChip(parts.health, it.healthy ? '\u2713' : '\u2715', it.healthy ? 'none' : 'bad', it.healthy ? 'healthy' : 'unhealthy');
  setText(parts.restarts, it.restarts ? '\u21bb ' + it.restarts : '');
  parts.restarts.title = 'Restarts: ' + it.restarts;
  var error = it.error || (it.healthy === false ? healthError(it.name) : '');
  parts.error.hidden = !error;
  setText(parts.error, error);
  parts.act.hidden = !doc.actions;
  parts.act.disabled = it.status !== 'running' && it.status !== 'failed';
}
function showState() {
  setText(byId('identity'), doc.identity);
  var leads = doc.elections.some(function (it) { return it.leading; });
  document.title = (leads ? '\u2605 ' : '') + doc.identity + ' \u2013 Lifecycle';
  showProbes(doc.probes);
  keyed(byId('elections'), doc.elections, function (it) { return it.election; }, makeElection, showElection);
  setData(byId('components'), 'actions', String(doc.actions));
  keyed(byId('components'), doc.components, function (it) { return it.name; }, makeComponent, showComponent);
}`;
