import type { Connector } from './connector.ts';
import type { Station } from './station.ts';
import { soundTime } from './time.ts';

/** Above this a register is a fault of the station. */
const LARGEST_WH = 1e12;

export const meterWh = (value: number): number | null => (Math.abs(value) <= LARGEST_WH ? value : null);

interface Start {
  readonly connector: Connector;
  readonly timestamp: string;
  readonly meterStart: number;
  readonly idTag: string;
}

const UNDATED = 'undated_start';

/**
 * When a 1.6 transaction started, ms since 1970. A start that is sent again must find its first one again, so where the
 * station's clock is wrong our own time of the first is kept with what tells that start from others.
 */
export async function startTime(station: Station, start: Start): Promise<number> {
  const now = station.host.clock.now();
  const sound = soundTime(start.timestamp, now);
  if (sound !== null) return sound;
  const mark = `${start.connector.number} ${start.timestamp} ${start.meterStart} ${start.idTag}`;
  const documents = station.host.documents(station.key);
  const kept = await documents.get(UNDATED);
  const isKept = typeof kept === 'object' && kept !== null && !Array.isArray(kept) && kept.mark === mark;
  if (isKept && typeof kept.at === 'number') return kept.at;
  await documents.put(UNDATED, { mark, at: now });
  return now;
}

/** The connector of a message that names none: the only one that there is. */
export function onlyConnector(station: Station): Connector | undefined {
  const [first, ...others] = station.connectors();
  return others.length === 0 ? first : undefined;
}
