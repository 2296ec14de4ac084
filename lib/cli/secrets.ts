const HIDDEN = '***';

/** Hides the passwords of URLs in whatever is printed: an engine's error may repeat what it was given. */
export class Secrets {
  readonly #secrets: readonly string[];

  constructor(urls: readonly string[]) {
    const passwords = urls.flatMap((url) => passwordsOf(url));
    // A longer one may contain a shorter one.
    this.#secrets = [...new Set(passwords)].filter((it) => it !== '').toSorted((a, b) => b.length - a.length);
  }

  hide(text: string): string {
    return this.#secrets.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text);
  }
}

/** As it is written in the URL, and as the engine gets it. */
function passwordsOf(url: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^/?#]*)@/i.exec(url)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
