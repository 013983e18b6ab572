import { judgeCard, loadCards, type Verdict } from '../../adapter/cards.ts';
import type { Station } from './station.ts';

/** 1.6 §7.2 AuthorizationStatus, 2.0.1 AuthorizationStatusEnumType: both have these values. */
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

/** Authorization status of a 1.6 idTag. The tag of our own remote starts is always accepted; no card has it. */
export async function idTagStatus(station: Station, idTag: string): Promise<Status> {
  return idTag === station.options.idTag ? 'Accepted' : statusOf(station, idTag);
}

/** The fields of a 2.0.1 IdTokenType that are used here. */
export interface IdToken {
  readonly idToken: string;
  readonly type?: string;
}

/** Authorization status of a 2.0.1 idToken. Ours has the type `Central`, which no card reader sends. */
export async function idTokenStatus(station: Station, { idToken, type }: IdToken): Promise<Status> {
  const isOurs = idToken === station.options.idTag && type === 'Central';
  // NoAuthorization (a button, the plug) has no card to judge: the station's own settings decide.
  return isOurs || type === 'NoAuthorization' ? 'Accepted' : statusOf(station, idToken);
}
