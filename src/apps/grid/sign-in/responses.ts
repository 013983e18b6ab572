import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Letter, SignedIn } from '../../../domain/access/people/index.ts';
import { pageLanguage } from '../../../http/language.ts';
import { ownPath } from '../../../http/own-path.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { ACCOUNT_HOME } from '../account/page.ts';
import { giveSession } from './cookies.ts';
import type { KnownBrowsers } from './known-browser.ts';
import { type WrittenLetter, writeLetter } from './letters.ts';

/** Answers who has signed in: a browser is led on, a program is told who it is. */
export function welcome(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    signedIn,
    next,
    isSecure,
    known,
  }: { signedIn: SignedIn; next: string | undefined; isSecure: boolean; known: KnownBrowsers },
): FastifyReply {
  giveSession(reply, signedIn.token, isSecure);
  known.remember(reply, signedIn.profile.email);
  reply.header('cache-control', 'no-store');
  if (wantsPage(request)) return reply.redirect(ownPath(next) ?? ACCOUNT_HOME, 303);
  return reply.send({ status: 'signed_in', ...signedIn.profile });
}

/** Ends the link of a letter that was asked for in a browser: many scanners of mail ask for any type, and have no button to press. */
const FOR_PERSON = 'for=person';

/** Answers that a letter is on its way, and hands it over afterwards, also where it is mailed to nobody: who waits cannot tell. */
export function tellSent(
  request: FastifyRequest,
  reply: FastifyReply,
  options: {
    readonly letter: Letter;
    readonly next: string | undefined;
    readonly publicUrl: () => string;
    readonly send: (letter: WrittenLetter) => void;
  },
): FastifyReply {
  const { letter, publicUrl, send } = options;
  const next = ownPath(options.next);
  const query = next === undefined ? '' : `next=${encodeURIComponent(next)}`;
  const byPerson = wantsPage(request) ? FOR_PERSON : '';
  const linkQuery = [query, byPerson].filter((part) => part !== '').join('&');
  const language = pageLanguage(request);
  reply.raw.once('close', () => {
    const url = `${publicUrl()}/auth/magic/verify/${letter.token}${linkQuery === '' ? '' : `?${linkQuery}`}`;
    send(writeLetter(letter, url, language));
  });
  reply.header('cache-control', 'no-store');
  if (wantsPage(request))
    return reply.redirect(`/auth/login?info=sent${query === '' ? '' : `&${query}`}`, 303);
  return reply.send({ status: 'sent' });
}
