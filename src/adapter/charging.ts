import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Json } from '../core/json.ts';
import { CARD_ID } from './commands.ts';
import type { Documents } from './session.ts';

/** A value as a station measured it, in SI-derived base units: Wh, W, A, V, percent, °C as the measurand has it. */
export interface Sample {
  readonly measurand: string;
  readonly value: number;
  readonly unit: string;
  readonly phase?: string;
  readonly location?: string;
  readonly context?: string;
}

/** All that a station measured at one moment on one device. */
export interface MeterReading {
  readonly deviceId: string;
  /** When it was measured, ms since 1970. */
  readonly at: number;
  readonly transactionId: string | null;
  readonly samples: readonly Sample[];
  /** The meter's import register among the samples, watt-hours: it completes what a transaction's station never told. */
  readonly registerWh: number | null;
}

export interface TransactionStart {
  readonly deviceId: string;
  /** Chosen by the station (OCPP 2.0.1); absent when the platform is to choose a positive whole number (OCPP 1.6). */
  readonly transactionId?: string;
  readonly startedAt: number;
  readonly meterStartWh: number | null;
  readonly idTag: string | null;
}

export interface TransactionEnd {
  readonly transactionId: string;
  readonly endedAt: number;
  readonly meterStopWh: number | null;
  readonly reason: string | null;
}

/** A transaction whose end the station never told. */
interface LostEnd {
  readonly transactionId: string;
  /** It had ended by then, ms since 1970: its end where it has no readings. */
  readonly by: number;
  readonly reason: string;
}

export interface RunningTransaction {
  readonly transactionId: string;
  readonly deviceId: string;
  readonly startedAt: number;
  readonly meterStartWh: number | null;
  readonly idTag: string | null;
}

/** The charging transactions and meter readings of one link, kept for good: resolved means durable. */
export interface ChargingRecords {
  /**
   * Stores the start and answers its transaction id. The same start sent again (same device, time, meter and id tag, or
   * the same id given) answers the same id and stores nothing.
   */
  begin(start: TransactionStart): Promise<string>;
  /** Stores the end; an unknown id is kept as a transaction without a start, a second end of the same one is ignored. */
  end(end: TransactionEnd, deviceId: string | null): Promise<void>;
  /** Ends a running one with the time and register of its last reading; an end that the station tells later replaces it. */
  giveUp(end: LostEnd): Promise<void>;
  /** Keeps the card of a transaction that was stored without one. */
  identify(transactionId: string, idTag: string): Promise<void>;
  /** Those that have not ended, the oldest first. */
  running(): Promise<RunningTransaction[]>;
  /** Stores readings; a reading of the same device and moment again changes nothing. */
  append(readings: readonly MeterReading[]): Promise<void>;
  /** The newest readings of a device, at most 20, the oldest of them first. */
  latest(deviceId: string): Promise<MeterReading[]>;
}

const MOST_CARDS = 1_000;

const CARDS = { accept: 'list', cards: [{ id: '04E91C5A123B80', name: 'Anna' }] };

/** The cards of a link whose stations ask who may charge. */
export const Cards = Type.Object(
  {
    accept: Type.Enum(['all', 'list', 'none'], {
      description: 'Which cards can start a charge: all, those in the list, or none',
    }),
    cards: Type.Array(
      Type.Object(
        {
          id: Type.String({
            ...CARD_ID,
            description:
              'The card id as the station reads it (idTag, idToken), not case-sensitive; up to 36 characters',
          }),
          name: Type.Optional(
            Type.String({ maxLength: 100, description: 'Name of its owner, for your own use' }),
          ),
          blocked: Type.Optional(
            Type.Boolean({ description: 'Keeps the card in the list, but refuses it as Blocked' }),
          ),
          expires_at: Type.Optional(
            Type.String({
              format: 'date-time',
              maxLength: 40,
              description: 'From this time on, the card is refused as Expired',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: MOST_CARDS, description: 'Used with accept: list; kept with the other values' },
    ),
  },
  { title: 'Cards', additionalProperties: false, examples: [CARDS] },
);
export type Cards = Type.Static<typeof Cards>;

const NAME = 'cards';
const check = Compile(Cards);

/** Until something else is said: the owner decides who may charge, by the station's own list. */
export const ALL_CARDS: Cards = { accept: 'all', cards: [] };

export async function loadCards(documents: Documents): Promise<Cards> {
  const kept = await documents.get(NAME);
  return check.Check(kept) ? kept : ALL_CARDS;
}

export const keepCards = (documents: Documents, cards: Cards): Promise<void> =>
  documents.put(NAME, cards as unknown as Json);

export const forgetCards = (documents: Documents): Promise<void> => documents.remove(NAME);

/** Two spellings of one card are one: stations differ in how they write it. */
export const spelt = (id: string): string => id.toLowerCase();

export type Verdict = 'accepted' | 'unknown' | 'blocked' | 'expired';

/** The response to a station that asks about a card. */
export function judgeCard({ accept, cards }: Cards, id: string, now: number): Verdict {
  switch (accept) {
    case 'all':
      return 'accepted';
    case 'none':
      return 'unknown';
    case 'list': {
      const card = cards.find((one) => spelt(one.id) === spelt(id));
      // control: a card that is not on the list starts no charge [station/operations]
      if (card === undefined) return 'unknown';
      if (card.blocked === true) return 'blocked';
      return card.expires_at !== undefined && Date.parse(card.expires_at) <= now ? 'expired' : 'accepted';
    }
  }
}
