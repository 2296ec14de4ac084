/** Buttons that act only when they are pressed twice. */
export const CONTROLS_SCRIPT = String.raw`
var base = location.pathname.replace(/\/*$/, '/');
var ARMED_MS = 4000;
function say(text, tone) {
  var message = byId('message');
  message.hidden = false;
  setData(message, 'tone', tone);
  setText(message, text);
  clearTimeout(say.timer);
  say.timer = setTimeout(function () { message.hidden = true; }, 8000);
}
function send(action, body, done) {
  fetch(base + 'actions/' + action, {
    method: 'POST', credentials: 'same-origin', cache: 'no-store', redirect: 'error',
    headers: { 'Content-Type': 'application/json', 'X-Lifecycle-Action': '1' }, body: JSON.stringify(body)
  }).then(function (response) {
    return response.json().catch(function () { return {}; }).then(function (answer) {
      if (response.ok) say(done, 'good');
      else say('Refused (' + response.status + '): ' + String(answer.message || response.statusText), 'bad');
    });
  }, function () { say('The replica did not answer.', 'bad'); });
}
function actButton(label, sure, act) {
  var button = make('button', '', label);
  var timer;
  button.type = 'button';
  function disarm() {
    clearTimeout(timer);
    setData(button, 'armed', 'false');
    button.textContent = label;
  }
  button.addEventListener('click', function () {
    if (button.dataset.armed === 'true') { disarm(); act(); return; }
    setData(button, 'armed', 'true');
    button.textContent = sure;
    timer = setTimeout(disarm, ARMED_MS);
  });
  button.addEventListener('blur', disarm);
  button.addEventListener('keydown', function (event) { if (event.key === 'Escape') disarm(); });
  return button;
}`;
