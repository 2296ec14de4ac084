/** Every text reaches the page as a text node or an attribute; markup is made of elements only. */
export const TOOLS_SCRIPT = String.raw`
var SVG = 'http://www.w3.org/2000/svg';
function byId(id) { return document.getElementById(id); }
function make(tag, className, text) {
  var element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
function draw(tag, attributes, text) {
  var element = document.createElementNS(SVG, tag);
  Object.keys(attributes).forEach(function (name) { element.setAttribute(name, attributes[name]); });
  if (text !== undefined) element.textContent = text;
  return element;
}
function isolated(text, className) { return make('bdi', className, text); }
function setText(element, text) { if (element.textContent !== text) element.textContent = text; }
function setData(element, name, value) { if (element.dataset[name] !== value) element.dataset[name] = value; }
function setChip(chip, sign, tone, text) {
  setData(chip, 'sign', sign);
  setData(chip, 'tone', tone);
  setText(chip, text);
}
function chipOf(sign, tone, text) {
  var chip = make('span', 'chip');
  setChip(chip, sign, tone, text);
  return chip;
}
/* Elements stay as long as what they show, so that focus, scroll and a half-pressed button survive an update. */
function keyed(parent, items, keyOf, create, update) {
  var known = parent.lifecycleKeyed || (parent.lifecycleKeyed = new Map());
  var wanted = new Map();
  var place = null;
  items.forEach(function (item) {
    var key = keyOf(item);
    var element = known.get(key) || create(item);
    wanted.set(key, element);
    update(element, item);
    var next = place ? place.nextSibling : parent.firstChild;
    if (next !== element) parent.insertBefore(element, next);
    place = element;
  });
  known.forEach(function (element, key) { if (wanted.get(key) !== element) element.remove(); });
  parent.lifecycleKeyed = wanted;
}
function pad(number, digits) { return String(number).padStart(digits, '0'); }
function clockTime(at, withMs) {
  var date = new Date(at);
  var text = pad(date.getHours(), 2) + ':' + pad(date.getMinutes(), 2) + ':' + pad(date.getSeconds(), 2);
  return withMs ? text + '.' + pad(date.getMilliseconds(), 3) : text;
}
function length(ms) {
  if (ms < 1000) return Math.max(0, Math.round(ms)) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(1) + ' s';
  var seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min ' + (seconds % 60) + ' s';
  if (seconds < 86400) return Math.floor(seconds / 3600) + ' h ' + Math.floor((seconds % 3600) / 60) + ' min';
  return Math.floor(seconds / 86400) + ' d ' + Math.floor((seconds % 86400) / 3600) + ' h';
}
function ago(at) {
  var ms = Math.max(0, now() - at);
  return ms < 60000 ? Math.floor(ms / 1000) + ' s' : length(ms);
}`;
