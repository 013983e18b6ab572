import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { Found, Linked } from '../../adapter/adapter.ts';
import { figure, fits, word } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { JsonObject } from '../../core/json.ts';
import { configurations, meters } from './api.ts';
import { isProduction, producedWh } from './translate.ts';

/** What is kept of a battery. */
const Details = Type.Object({ max_w: Type.Union([Type.Integer(), Type.Null()]) });

const MOST_W = 1_000_000;

export async function link(session: Session): Promise<Linked> {
  const settings = await configurations(session);
  return { vendorAccount: accountOf(session, settings), devices: await found(session, settings) };
}

export const list = async (session: Session): Promise<readonly Found[]> =>
  found(session, await configurations(session));

async function found(session: Session, settings: JsonObject): Promise<Found[]> {
  const id = accountOf(session, settings);
  const details = { max_w: maxWOf(settings) } satisfies Static<typeof Details>;
  const battery: Found = { id, type: 'battery', name: 'sonnenBatterie', details };
  const all = await meters(session, 'list');
  // Every battery has a meter for panels; one of a house without panels has never counted.
  const hasPanels = all.some(isProduction) && producedWh(all) !== 0;
  return hasPanels ? [battery, { id: `${id}-solar`, type: 'solar_inverter' }] : [battery];
}

/** Names the battery: its serial number where its settings have it, else a digest of its token, since nothing else of it stays. */
function accountOf({ credentials }: Session, { DE_Ticket_Number }: JsonObject): string {
  const serial = word(String(DE_Ticket_Number ?? ''))?.replaceAll(/[^\w-]/g, '-');
  if (serial !== undefined && serial !== '') return serial;
  return createHash('sha256').update(String(credentials.api_key).trim()).digest('hex').slice(0, 16);
}

/** Numbers of settings are texts. */
const maxWOf = ({ IC_InverterMaxPower_w: watts }: JsonObject): number | null => {
  const most = figure(Number(watts ?? Number.NaN), 1, MOST_W);
  return most === null ? null : Math.floor(most);
};

/** The most that a battery takes and gives, watt. */
export const keptMaxW = ({ details }: Pick<Found, 'details'>): number | null =>
  fits(Details, details) ? details.max_w : null;
