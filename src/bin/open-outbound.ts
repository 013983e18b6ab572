import type { Log } from '../core/log.ts';
import { OUTBOUND_ON, type Outbound, outboundOff } from '../core/outbound.ts';
import type { Settings } from '../core/settings/index.ts';
import type { Database } from '../db/database.ts';
import { isRestoredCopy, takeOver } from '../db/origin.ts';
import type { Probe } from '../http/health.ts';

const SWITCHED_OFF =
  'outbound calls are switched off (ELNAV_OUTBOUND is off): nothing is read, commanded or linked; to switch them on, remove the setting and restart';
const RESTORED =
  'outbound calls are switched off because the database was restored from a dump, and the original may still run: once it does not, restart with ELNAV_RESTORED=take-over; for a copy that is never to call, set ELNAV_OUTBOUND=off';

interface OutboundOptions {
  readonly settings: Settings;
  readonly database: Pick<Database, 'engine' | 'queries'>;
  readonly log: Log;
}

interface OpenedOutbound {
  readonly outbound: Outbound;
  /** As they are from here on: without a mail server, sources of prices or a geocoder where nothing is called. */
  readonly settings: Settings;
  /** Fails while a restored database waits for a decision. */
  readonly probes: readonly Probe[];
}

/** Decides, once for a process, whether it calls anything outside. Call it once the tables are there. */
export async function openOutbound({ settings, database, log }: OutboundOptions): Promise<OpenedOutbound> {
  const { engine, queries } = database;
  if (settings.outbound === 'off') {
    log.warn(SWITCHED_OFF);
    return off(settings, SWITCHED_OFF, async () => SWITCHED_OFF);
  }
  const on = { outbound: OUTBOUND_ON, settings, probes: [] };
  if (engine === 'sqlite' || !(await isRestoredCopy(queries))) return on;
  if (settings.restored === 'take-over') {
    await takeOver(queries);
    log.warn('the database was restored from a dump and takes over from now on; remove ELNAV_RESTORED');
    return on;
  }
  log.error(RESTORED);
  return off(settings, RESTORED, async () => {
    throw new Error(RESTORED);
  });
}

const off = (settings: Settings, why: string, check: Probe['check']): OpenedOutbound => ({
  outbound: outboundOff(why),
  settings: {
    ...settings,
    people: { ...settings.people, mail: undefined },
    market: { ...settings.market, isFetching: false, geocoderUrl: undefined },
  },
  // Requests are answered in any case.
  probes: [{ name: 'outbound', vital: false, check }],
});
