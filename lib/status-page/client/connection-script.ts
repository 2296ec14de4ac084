/** Live by server-sent events; by asking again and again where those do not get through. */
export const CONNECTION_SCRIPT = String.raw`
var doc;
var offset = 0;
var source;
var retryMs = 2000;
function now() { return Date.now() + offset; }
function connection(sign, tone, text) { setChip(byId('connection'), sign, tone, text); }
function show() { showState(); showTimeline(); showHistory(); }
function takeAll(next) {
  doc = next;
  offset = next.at - Date.now();
  show();
}
function takeChange(change) {
  if (!doc) return;
  var last = doc.history.length ? doc.history[doc.history.length - 1].seq : 0;
  var fresh = change.history.filter(function (it) { return it.seq > last; });
  change.history = doc.history.concat(fresh).slice(-change.historyLimit);
  takeAll(change);
}
function connect() {
  source = new EventSource(base + 'events');
  source.addEventListener('open', function () { source.ended = false; retryMs = 2000; });
  source.addEventListener('status', function (event) { connection('\u25cf', 'good', 'Connected'); takeAll(JSON.parse(event.data)); });
  source.addEventListener('change', function (event) { takeChange(JSON.parse(event.data)); });
  source.addEventListener('end', function () { source.ended = true; connection('\u25a0', 'warn', 'Stopped'); });
  source.addEventListener('error', function () {
    if (!source.ended) connection('\u2026', 'warn', 'Reconnecting');
    // A refused stream is not tried again by the browser, one that broke off is.
    if (source.readyState === EventSource.CLOSED) ask();
  });
}
function ask() {
  fetch(base + 'status', { credentials: 'same-origin', cache: 'no-store', redirect: 'error' }).then(function (response) {
    if (response.status === 401 || response.status === 403) {
      connection('\u2715', 'bad', 'No access');
      say('You may not see this any more. Sign in, then load the page again.', 'bad');
      return;
    }
    setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, 30000);
    if (!response.ok) return;
    return response.json().then(function (next) { connection('\u25d4', 'warn', 'Polling'); takeAll(next); });
  }).catch(function () {
    setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, 30000);
  });
}
connect();
setInterval(function () { if (doc && !document.hidden) { showState(); showTimeline(); } }, 1000);
addEventListener('resize', function () { if (doc) showTimeline(); });
document.addEventListener('visibilitychange', function () { if (doc && !document.hidden) show(); });`;
