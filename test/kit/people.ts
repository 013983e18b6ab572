import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CookieBrowser } from './cookie-browser.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** An email in the outbox. */
export interface FoundEmail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The URL of its link, and the path of that URL. */
  readonly link: string;
  readonly path: string;
}

/** The emails to an address, in the order of writing. */
export function emailsTo({ place }: Pick<World, 'place'>, email: string): FoundEmail[] {
  const folder = join(place.dataDir, 'outbox');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => parseEmail(readFileSync(join(folder, name), 'utf8')))
    .filter(({ to }) => to === email);
}

function parseEmail(text: string): FoundEmail {
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? '';
  return {
    to: /^To: <(.*)>$/m.exec(text)?.[1] ?? '',
    subject: /^Subject: (.*)$/m.exec(text)?.[1] ?? '',
    text,
    link,
    path: link.replace(/^https?:\/\/[^/]*/, ''),
  };
}

/** The first email to an address after the first `seen`. */
export async function nextEmail(world: Pick<World, 'place'>, email: string, after = 0): Promise<FoundEmail> {
  await until(`an email to ${email}`, () => emailsTo(world, email).length > after);
  const found = emailsTo(world, email)[after];
  assert.ok(found !== undefined);
  return found;
}

/** Signs a new person up and in by a link; returns the cookie. */
export async function signUp(world: World, email: string): Promise<string> {
  const sent = await fetch(`${world.grid}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  assert.equal(sent.status, 200, await sent.text());
  const { path } = await nextEmail(world, email);
  const used = await fetch(`${world.grid}${path}`);
  assert.equal(used.status, 200);
  return cookieIn(used, 'elnav_session');
}

/** A cookie that a response sets, as the browser sends it back. */
export function cookieIn(answer: Response, name: string): string {
  const set = answer.headers.getSetCookie().find((one) => one.startsWith(`${name}=`));
  assert.ok(set !== undefined, `${name} is not set`);
  return set.split(';', 1)[0] ?? '';
}

/** Opens the console as the owner of an account; returns its cookie. */
export async function consoleCookie(world: World, account: number): Promise<string> {
  const made = await world.admin('POST', `/admin/users/${account}/sign-in-link`);
  const { url } = (await made.json()) as { url: string };
  const browser = CookieBrowser.inLanguage('en');
  assert.equal((await browser.post(url, {})).status, 303);
  let answer = await browser.get(`${world.connect}/console`);
  for (let hops = 0; hops < 2; hops += 1)
    answer = await browser.get(new URL(answer.headers.get('location') ?? '', world.connect).href);
  return cookieIn(answer, 'elnav_console');
}
