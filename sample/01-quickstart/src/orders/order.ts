export interface Order {
  readonly id: string;
  readonly item: string;
  readonly cents: number;
  /** In milliseconds since the epoch. */
  readonly placedAt: number;
}
