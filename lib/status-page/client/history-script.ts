/** What happened, newest first. */
export const HISTORY_SCRIPT = String.raw`
function described(it) {
  var state;
  switch (it.kind) {
    case 'component':
      state = stateOf(it.to);
      return { chip: [state[0], state[1], it.to], who: it.component, rest: ' after ' + length(it.durationMs) + ' ' + it.from,
        why: it.error && it.error + (it.restartInMs === undefined ? '' : ' (starts again in ' + length(it.restartInMs) + ')') };
    case 'acquired':
      return { chip: ['\u2605', 'lead', 'acquired'], who: it.election, rest: ' is led by this replica, token ' + it.fencingToken };
    case 'lost':
      return { chip: ['\u2606', it.voluntary ? 'idle' : 'bad', it.voluntary ? 'given up' : 'lost'], who: it.election,
        rest: ' after ' + length(it.durationMs) + ', token ' + it.fencingToken, why: it.reason };
    case 'started':
      return { chip: ['\u2713', 'good', 'term up'], who: it.election, rest: ', its components have started ' + length(it.durationMs) + ' into the term' };
    case 'settled':
      return { chip: ['\u2713', 'idle', 'settled'], who: it.election, rest: ', nothing of term ' + it.fencingToken + ' is left' };
    case 'observed':
      return { chip: it.leader ? ['\u25cb', 'idle', 'leader'] : ['\u2026', 'warn', 'no leader'], who: it.election,
        rest: it.leader ? ' is led by ' + it.leader.identity + (it.leader.fencingToken ? ', token ' + it.leader.fencingToken : '') : ' is led by nobody' };
    case 'health':
      return { chip: it.healthy ? ['\u2713', 'good', 'healthy'] : ['\u2715', 'bad', 'unhealthy'], who: it.component, rest: '', why: it.error };
    default:
      return { chip: it.error ? ['\u2715', 'bad', 'app'] : ['\u25aa', 'idle', 'app'], who: it.phase, rest: ' has ' + it.state +
        (it.durationMs === undefined ? '' : ', ' + length(it.durationMs)), why: it.error };
  }
}
function makeEntry(it) {
  var item = make('li');
  var about = described(it);
  var time = make('time', '', clockTime(it.at, true));
  var date = new Date(it.at);
  if (!isNaN(date)) { time.dateTime = date.toISOString(); time.title = date.toLocaleString(); }
  var what = make('div', 'what');
  what.append(isolated(about.who, 'name'), isolated(about.rest));
  if (about.why) what.append(isolated(about.why, 'why'));
  item.append(time, chipOf(about.chip[0], about.chip[1], about.chip[2]), what);
  return item;
}
function showHistory() {
  keyed(byId('history'), doc.history.slice().reverse(), function (it) { return it.seq; }, makeEntry, function () {});
  setText(byId('footer'), 'The last ' + doc.history.length + ' of at most ' + doc.historyLimit + ' events since the start of this process. Times are of the replica\u2019s clock, in your time zone.');
}`;
