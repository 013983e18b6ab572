/** Keeps and sends cookies like a browser, without following redirects; requests pages only if `headers` ask for them. */
export class CookieBrowser {
  readonly #headers: Readonly<Record<string, string>>;
  #cookies = new Map<string, string>();

  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
  }

  /** A person's browser, which requests pages in a language. */
  static inLanguage(language: string): CookieBrowser {
    return new CookieBrowser({ accept: 'text/html', 'accept-language': language });
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.#headers, cookie, ...init.headers };
    const answer = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.#cookies.set(name, value);
    }
    return answer;
  }

  get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(url, { headers });
  }

  /** Sends a form as a page of the same site does. */
  post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const origin = new URL(url).origin;
    return this.send(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }
}
