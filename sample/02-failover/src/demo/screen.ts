import type { Replicas, ReplicasListener } from './replicas.js';
import { HEADINGS, rowOf } from './row.js';

const KEPT_LINES = 8;
const HELP = 'k kill   p pause / continue   s stop the leader      r restart the missing      q quit';
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H\u001b[J';

/** A table that stays where it is, on a terminal. */
export class Screen implements ReplicasListener {
  readonly #news: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #replicas: Replicas | undefined;

  /** From now on it shows them. */
  open(replicas: Replicas): void {
    this.#replicas = replicas;
    process.stdout.write(ENTER);
    // For the times in it.
    this.#timer = setInterval(() => this.onChange(), 200);
  }

  close(): void {
    clearInterval(this.#timer);
    process.stdout.write(LEAVE);
    console.log(this.#news.join('\n'));
  }

  onNews(text: string): void {
    this.#news.push(`${new Date().toISOString().slice(11, 23)}  ${text.split('\n')[0]}`);
    if (this.#news.length > KEPT_LINES) this.#news.shift();
    this.onChange();
  }

  onChange(): void {
    if (this.#replicas === undefined) return;
    const { all, handOver } = this.#replicas;
    const rows = [HEADINGS, ...all.map(rowOf)];
    const table = aligned(rows).join('\n');
    process.stdout.write(
      `${HOME}${table}\n\nlast hand-over: ${handOver.text}\n\n${HELP}\n\n${this.#news.join('\n')}\n`,
    );
  }
}

function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
