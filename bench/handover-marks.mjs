// What happens when in one process, on a clock that all processes of the host share.

export const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Processor time of all threads of this process so far. Unlike the time, it hardly depends on who else is running. */
function cpuNow() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class Marks {
  #marks = [];

  add(name) {
    this.#marks.push([name, now(), cpuNow()]);
  }

  /** Of each call: when it began, as `<name> sent`, and when it had an answer, as `<name> answered`. */
  ofCalls(target, method, name, onAnswer = () => undefined) {
    const original = target[method];
    const add = (what) => this.add(`${name} ${what}`);
    target[method] = function (...args) {
      add('sent');
      const result = original.apply(this, args);
      const answered = () => {
        add('answered');
        onAnswer();
      };
      if (typeof result?.then === 'function') result.then(answered, answered);
      else answered();
      return result;
    };
  }

  take() {
    return this.#marks.splice(0);
  }
}
