import { HttpFailure } from '../../adapter/http.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import {
  type Day,
  PRICE_AREA_FACTS,
  type PriceArea,
  type PriceDay,
  type PriceSource,
  type SourceSession,
} from '../contract/market.ts';
import { eachArea } from '../contract/price-figures.ts';
import { translate } from './translate.ts';

/** A day is 10 to 40 kB. */
const MOST_BYTES = 1024 * 1024;
/** Requests without data have got both statuses, with an acknowledgement that gives the reason. */
const ACKNOWLEDGED_AS = 400;

export const fetchDay: PriceSource['fetchDay'] = async (session, { day, areas }) => {
  const { token } = session;
  if (token === undefined || token === '')
    throw new HttpFailure('refused', 'ENTSO-E needs a token; set ELNAV_ENTSOE_TOKEN');
  return eachArea(areas, (area) => fetchArea({ ...session, token }, area, day));
};

/** The API accepts its token only in the query. */
async function fetchArea(
  { http, signal, token }: SourceSession & { readonly token: string },
  area: PriceArea,
  day: Day,
): Promise<PriceDay | null> {
  const { start, end } = dayBounds(day);
  const { eic } = PRICE_AREA_FACTS[area];
  const answer = await http.send({
    path: '/api',
    query: {
      securityToken: token,
      documentType: 'A44',
      in_Domain: eic,
      out_Domain: eic,
      periodStart: minuteText(start),
      periodEnd: minuteText(end),
    },
    headers: { accept: 'application/xml, text/xml' },
    expect: [ACKNOWLEDGED_AS],
    mostBytes: MOST_BYTES,
    signal,
  });
  return translate(answer.text(), { area, day });
}

/** `202611202300`, UTC. */
function minuteText(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-T:]/g, '').slice(0, 12);
}
