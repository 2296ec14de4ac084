/** What was thrown as one line for people; anything can be thrown. */
export function errorText(error: unknown): string {
  try {
    if (error instanceof Error) {
      const { message, name }: { message: unknown; name: unknown } = error;
      return String(message || name);
    }
    if (typeof error === 'string') return error || '(empty string thrown)';
    if (error === null || typeof error !== 'object') return `${String(error)} thrown`;
    const { message } = error as { message?: unknown };
    if (typeof message === 'string' && message !== '') return message;
    return JSON.stringify(error) ?? Object.prototype.toString.call(error);
  } catch {
    // A getter, a proxy or a circular structure: the text is not worth a second failure.
    return 'an unprintable value was thrown';
  }
}

/** How deep a chain of causes is printed. */
const MAX_CAUSES = 5;

/** The stack of what was thrown with the stacks of its causes, if it has one. Never throws. */
export function errorStack(error: unknown): string | undefined {
  try {
    const stacks: string[] = [];
    let current = error;
    while (current instanceof Error && stacks.length <= MAX_CAUSES) {
      const { stack, message }: { stack?: unknown; message: unknown } = current;
      stacks.push(String(stack ?? message));
      current = current.cause;
    }
    return stacks.length > 0 ? stacks.join('\n  caused by: ') : undefined;
  } catch {
    // A getter or a proxy that throws: the text has to do.
    return undefined;
  }
}
