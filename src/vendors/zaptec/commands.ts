import type { Handlers } from '../../adapter/adapter.ts';
import { detailsOf } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { api, installationPath, readCharger } from './api.ts';
import * as charger from './charger.ts';

/** "Commands" of `GET /api/constants`. */
const STOP = 506;
const RESUME = 507;

/** Zaptec refuses to stop or resume a charger that it has nothing to do for, so the charger is read first. */
export const chargeControl: Handlers<'charge_control'> = {
  async start_charge(session, device) {
    const raw = await readOnline(session, device);
    const mode = charger.modeOf(raw);
    if (mode === charger.MODE.charging) return;
    if (mode === charger.MODE.disconnected) throw refused(`no car is connected to charger ${device.id}`);
    const limit = charger.maxCurrentOf(raw);
    const isLimited = limit !== null && limit < charger.LEAST_A;
    if (isLimited) {
      const kept = await session.documents.get(`limit:${device.id}`);
      const maxChargeCurrent = typeof kept === 'number' ? kept : raw.details.max_a;
      await post(session, device, 'update', { maxChargeCurrent });
    }
    if (charger.isPaused(raw)) await post(session, device, `SendCommand/${RESUME}`);
    else if (!isLimited && mode === charger.MODE.requesting && charger.needsAuthorization(raw))
      throw refused(`charger ${device.id} waits until its user authorizes it, with the Zaptec app or a tag`);
  },

  async stop_charge(session, device) {
    const raw = await readOnline(session, device);
    if (charger.modeOf(raw) === charger.MODE.disconnected || charger.isPaused(raw)) return;
    await post(session, device, `SendCommand/${STOP}`);
  },
};

export const setCurrent: Handlers<'set_current'> = {
  async set_current(session, device, { current_a: maxChargeCurrent }) {
    if (maxChargeCurrent === 0) {
      // A pause overwrites the limit, so that it is kept here until the charger is started.
      const before = charger.maxCurrentOf(await readCharger(session, device));
      if (before !== null && before >= charger.LEAST_A)
        await session.documents.put(`limit:${device.id}`, before);
    }
    await post(session, device, 'update', { maxChargeCurrent });
  },
};

/** Limits the installation, which Zaptec shares out to its chargers itself. */
export const loadBalancing: Handlers<'load_balancing'> = {
  async set_limit(session, device, { max_a: availableCurrent }) {
    if (availableCurrent === undefined)
      throw new AppError('command.axis_unsupported', 'the device limits by current only; set max_a');
    if (charger.isStandalone(await readCharger(session, device)))
      throw refused(`charger ${device.id} is in stand-alone mode, and so does not follow its installation`);
    const path = `${installationPath(detailsOf(charger.Details, device))}/update`;
    await api.command(session, device, { path, json: { availableCurrent }, repeatable: true });
  },
};

const refused = (sentence: string) => new AppError('vendor.refused', sentence);

async function readOnline(session: Session, device: DeviceRef): Promise<charger.ChargerRaw> {
  const raw = await readCharger(session, device);
  if (charger.isOnline(raw)) return raw;
  throw new AppError('device.offline', `charger ${device.id} is not connected to Zaptec`);
}

/** A setting says the value that is wanted; a command is sent once, as the second would be refused because of the first. */
function post(session: Session, device: DeviceRef, what: string, json?: JsonObject) {
  const path = `/api/chargers/${encodeURIComponent(device.id)}/${what}`;
  return api.command(session, device, json === undefined ? { path } : { path, json, repeatable: true });
}
