import { Temporal } from '../../core/temporal.ts';
import {
  type Day,
  PRICE_AREA_FACTS,
  PRICE_AREAS,
  type Simulate,
  type SimulatedMarket,
  type SimulatedSlot,
} from '../contract/market.ts';

export const SIMULATED_TOKEN = 'simulated-entsoe-token';

const XML = { 'content-type': 'text/xml' };

/** Serves A44 as the platform does: one area per request, curve A03, a second auction before the first, 401 for a wrong token. */
export function simulateEntsoe(market: SimulatedMarket): Simulate {
  return ({ path, query }) => {
    const broken = market.broken();
    if (broken !== undefined) return broken;
    if (path !== '/api') return { status: 404, text: '' };
    if (query.get('securityToken') !== SIMULATED_TOKEN)
      return {
        status: 401,
        headers: XML,
        text: acknowledgement('Unauthorized. Missing or invalid security token.'),
      };
    const area = PRICE_AREAS.find((one) => PRICE_AREA_FACTS[one].eic === query.get('in_Domain'));
    const day = dayFrom(query.get('periodStart') ?? '');
    if (area === undefined || day === null || query.get('documentType') !== 'A44')
      return { status: 400, headers: XML, text: acknowledgement('Invalid query attributes or parameters.') };
    const { eic } = PRICE_AREA_FACTS[area];
    const slots = market.shown(area, day);
    if (slots === null || slots.length === 0)
      return {
        status: 200,
        headers: XML,
        text: acknowledgement(`No matching data found for Data item ENERGY_PRICES [12.1.D] (${eic}, ${eic})`),
      };
    const other = slots.map((slot) => ({ ...slot, eurPerMwh: slot.eurPerMwh + 1 }));
    return {
      status: 200,
      headers: XML,
      text: publication(eic, [series(eic, other, 2), series(eic, slots, 1)]),
    };
  };
}

/** The Swedish day that starts at a time such as `202611202300`. */
function dayFrom(text: string): Day | null {
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(text);
  if (parts === null) return null;
  const [, year, month, date, hour, minute] = parts;
  const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}Z`);
  if (Number.isNaN(at)) return null;
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO('Europe/Brussels')
    .toPlainDate()
    .toString();
}

function minuteText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}

function publication(eic: string, all: readonly string[]): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<Publication_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3">
  <mRID>${eic.length}</mRID>
  <revisionNumber>1</revisionNumber>
  <type>A44</type>
  <createdDateTime>2026-11-21T09:00:00Z</createdDateTime>
${all.join('\n')}
</Publication_MarketDocument>`;
}

/** Repeated prices are left out, also at the end. */
function series(eic: string, slots: readonly SimulatedSlot[], sequence: number): string {
  const points = slots.flatMap(({ eurPerMwh }, index) =>
    eurPerMwh === slots[index - 1]?.eurPerMwh
      ? []
      : [
          `<Point><position>${index + 1}</position><price.amount>${eurPerMwh.toFixed(2)}</price.amount></Point>`,
        ],
  );
  const [first] = slots;
  const slotMinutes = first === undefined ? 60 : (first.end - first.start) / 60_000;
  return `  <TimeSeries>
    <mRID>${sequence}</mRID>
    <auction.type>A01</auction.type>
    <businessType>A62</businessType>
    <in_Domain.mRID codingScheme="A01">${eic}</in_Domain.mRID>
    <out_Domain.mRID codingScheme="A01">${eic}</out_Domain.mRID>
    <contract_MarketAgreement.type>A01</contract_MarketAgreement.type>
    <currency_Unit.name>EUR</currency_Unit.name>
    <price_Measure_Unit.name>MWH</price_Measure_Unit.name>
    <classificationSequence_AttributeInstanceComponent.position>${sequence}</classificationSequence_AttributeInstanceComponent.position>
    <curveType>A03</curveType>
    <Period>
      <timeInterval><start>${minuteText(first?.start ?? 0)}</start><end>${minuteText(slots.at(-1)?.end ?? 0)}</end></timeInterval>
      <resolution>PT${slotMinutes}M</resolution>
      ${points.join('\n      ')}
    </Period>
  </TimeSeries>`;
}

function acknowledgement(text: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Acknowledgement_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0">
  <mRID>1</mRID>
  <createdDateTime>2026-11-21T09:00:00Z</createdDateTime>
  <Reason><code>999</code><text>${text}</text></Reason>
</Acknowledgement_MarketDocument>`;
}
