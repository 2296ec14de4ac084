import { isDeepStrictEqual } from 'node:util';

/**
 * Verdicts on a list of things, judged again only where something changed. While nobody could see a difference,
 * readers get the same objects, and can tell by identity that what they made of them still holds.
 */
export class VerdictCache<Snapshot extends object, Verdict extends object> {
  #judged: readonly Snapshot[] = [];
  #verdicts: readonly Verdict[] = Object.freeze([]);

  constructor(private readonly judge: (snapshot: Snapshot) => Verdict) {}

  of(snapshots: readonly Snapshot[]): readonly Verdict[] {
    if (isSameList(snapshots, this.#judged, looksSame)) return this.#verdicts;
    const verdicts = snapshots.map((snapshot, index) => this.#judge(snapshot, index));
    if (!isSameList(verdicts, this.#verdicts, Object.is)) this.#verdicts = Object.freeze(verdicts);
    this.#judged = snapshots;
    return this.#verdicts;
  }

  #judge(snapshot: Snapshot, index: number): Verdict {
    const known = this.#verdicts[index];
    if (known !== undefined && looksSame(snapshot, this.#judged[index])) return known;
    const verdict = this.judge(snapshot);
    // A check that keeps failing throws a new error each time, and mostly says the same.
    return isDeepStrictEqual(verdict, known) ? (known as Verdict) : Object.freeze(verdict);
  }
}

function isSameList<T>(one: readonly T[], other: readonly T[], isSame: (a: T, b: T | undefined) => boolean): boolean {
  return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
}

/** Also for two objects, as long as each of their fields is the same: not everybody keeps the snapshots they made. */
function looksSame<T extends object>(one: T, other: T | undefined): boolean {
  if (one === other) return true;
  if (other === undefined) return false;
  const keys = Object.keys(one) as (keyof T)[];
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
