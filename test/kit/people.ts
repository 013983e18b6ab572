import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';
import type { World } from './world.ts';

/** A letter in the outbox. */
export interface FoundLetter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The whole address of its link, and its path. */
  readonly link: string;
  readonly path: string;
}

/** The letters to an address, in the order of writing. */
export function lettersTo({ place }: Pick<World, 'place'>, email: string): FoundLetter[] {
  const folder = join(place.dataDir, 'outbox');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readLetter(readFileSync(join(folder, name), 'utf8')))
    .filter(({ to }) => to === email);
}

function readLetter(text: string): FoundLetter {
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? '';
  return {
    to: /^To: <(.*)>$/m.exec(text)?.[1] ?? '',
    subject: /^Subject: (.*)$/m.exec(text)?.[1] ?? '',
    text,
    link,
    path: link.replace(/^https?:\/\/[^/]*/, ''),
  };
}

/** The first letter to an address after the first `seen`. */
export async function nextLetter(world: Pick<World, 'place'>, email: string, seen = 0): Promise<FoundLetter> {
  await until(`a letter to ${email}`, () => lettersTo(world, email).length > seen);
  const letter = lettersTo(world, email)[seen];
  assert.ok(letter !== undefined);
  return letter;
}

/** Signs somebody new up and in by a link; answers the cookie. */
export async function signUp(world: World, email: string): Promise<string> {
  const sent = await fetch(`${world.grid}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  assert.equal(sent.status, 200, await sent.text());
  const { path } = await nextLetter(world, email);
  const used = await fetch(`${world.grid}${path}`);
  assert.equal(used.status, 200);
  return cookieIn(used, 'elnav_session');
}

/** A cookie that an answer sets, as it is sent back. */
export function cookieIn(answer: Response, name: string): string {
  const set = answer.headers.getSetCookie().find((one) => one.startsWith(`${name}=`));
  assert.ok(set !== undefined, `${name} is not set`);
  return set.split(';', 1)[0] ?? '';
}
