/** A request for the status page or something below it, whichever server it came to, after its guards have said yes. */
export interface StatusRequest {
  readonly method: string;
  /** Below the page, without slashes around it: `''` is the page itself, `status`, `events`, `actions/restart`. */
  readonly path: string;
  /** With names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Gives the body of a POST, as text or parsed. Asked at most once, and only for an action that is let through. */
  readonly body?: () => unknown;
}

export type StatusHeaders = Readonly<Record<string, string>>;

/** A whole response. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: StatusHeaders;
  readonly body: string;
}

/** A response that goes on: server-sent events. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: StatusHeaders;
  /**
   * Begins to write, once the headers are sent.
   *
   * @returns has to be called when the client is gone
   */
  readonly stream: (sink: StatusSink) => () => void;
}

export type StatusAnswer = WholeAnswer | StreamAnswer;

/** Where a stream goes. */
export interface StatusSink {
  /** @returns false when it is full: nothing is written to it before `onDrain` is called */
  write(chunk: string): boolean;
  /** Calls the listener each time when there is room again. */
  onDrain(listener: () => void): void;
  /** Ends the response, in order. */
  end(): void;
  /** Cuts the connection: the client does not read. */
  destroy(): void;
}
