/** What all benchmarks share: fair alternation, statistics, and the form of the last line. */

export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

/**
 * Measures subjects in turn, round by round, so that whatever changes on the machine meanwhile meets all of them. Each
 * round begins with another one and goes the other way round: none always follows the same one, and pays for what that
 * has left behind.
 *
 * @param subjects by name: a function that returns one measurement, or a promise of it
 * @returns by name: the measurements, one per round
 */
export async function alternate(subjects, rounds) {
  const names = Object.keys(subjects);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const step = round % 2 === 0 ? i : names.length - 1 - i;
      const name = names[(step + (round >> 1)) % names.length];
      measured[name].push(await subjects[name]());
    }
  }
  return measured;
}

/** The median over rounds of a subject's measurement over its peer's in the same round. */
export function ratio(subject, peer) {
  return median(subject.map((value, round) => value / peer[round]));
}

export const atMost = (name, value, limit) => ({ name, value: rounded(value), limit, met: value <= limit });
export const atLeast = (name, value, limit) => ({ name, value: rounded(value), limit, met: value >= limit });
export const under = (name, value, limit) => ({ name, value: rounded(value), limit, met: value < limit });

/** Prints a readable summary, and as the last line the whole as JSON. The exit code is 1 where a goal is not met. */
export function report(bench, figures, goals) {
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${JSON.stringify(roundedDeep(value))}`);
  for (const { name, value, limit, met } of goals)
    console.log(`${met ? 'met   ' : 'MISSED'} ${name}: ${value} (limit ${limit})`);
  console.log(JSON.stringify({ bench, figures: roundedDeep(figures), goals }));
  if (goals.some((goal) => !goal.met)) process.exitCode = 1;
}

function rounded(value) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

function roundedDeep(value) {
  if (typeof value === 'number') return rounded(value);
  if (Array.isArray(value)) return value.map(roundedDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, roundedDeep(inner)]));
}
