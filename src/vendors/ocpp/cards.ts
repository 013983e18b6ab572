import { judgeCard, loadCards, type Verdict } from '../../adapter/cards.ts';
import type { Station } from './station.ts';

/** 1.6 §7.2 AuthorizationStatus, 2.0.1 AuthorizationStatusEnumType: these words are in both. */
const WORDS = {
  accepted: 'Accepted',
  unknown: 'Invalid',
  blocked: 'Blocked',
  expired: 'Expired',
} as const satisfies Record<Verdict, string>;

type Status = (typeof WORDS)[Verdict];

async function statusOf(station: Station, card: string): Promise<Status> {
  const { host, key } = station;
  return WORDS[judgeCard(await loadCards(host.documents(key)), card, host.clock.now())];
}

/** What is said of a 1.6 idTag. The tag of our own remote starts is always welcome; no card reads as it. */
export async function idTagStatus(station: Station, idTag: string): Promise<Status> {
  return idTag === station.options.idTag ? 'Accepted' : statusOf(station, idTag);
}

/** A 2.0.1 IdTokenType, as far as it matters here. */
export interface IdToken {
  readonly idToken: string;
  readonly type?: string;
}

/** What is said of a 2.0.1 idToken: ours has the type of a central system, which no reader gives to a card. */
export async function idTokenStatus(station: Station, { idToken, type }: IdToken): Promise<Status> {
  const isOurs = idToken === station.options.idTag && type === 'Central';
  // Without a token (NoAuthorization: a button, the plug) there is no card to judge; whether it may is the station's setting.
  return isOurs || type === 'NoAuthorization' ? 'Accepted' : statusOf(station, idToken);
}
