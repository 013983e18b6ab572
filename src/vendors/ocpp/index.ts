import type { Adapter } from '../../adapter/adapter.ts';
import { charger } from './charger.ts';
import { Credentials, checkInstallation, hashPassword, words } from './credentials.ts';
import { DEFAULTS } from './options.ts';
import { openStations, PATH } from './server.ts';
import { operations } from './station/operations.ts';
import { devicesOf, loadStation } from './station/roster.ts';

/** Charging stations that dial in with OCPP 1.6J or 2.0.1 over WebSocket. */
export const ocpp = {
  slug: 'ocpp',
  name: 'OCPP charging station',
  calledIn: { en: 'OCPP charger', sv: 'Annan laddbox (OCPP)' },
  // Makers that offer OCPP 1.6J or 2.0.1. The last three have clouds too: their chargers are either there or connect to us.
  brands: {
    names: [
      'Garo',
      'Wallbox',
      'CTEK',
      'ABB Terra',
      'Schneider EVlink',
      'KEBA',
      'go-e',
      'Alfen',
      'Webasto',
      'Zaptec',
      'Easee',
      'Charge Amps',
    ],
  },
  credentials: Credentials,
  words,
  pushes: true,
  // A connected station's state is in memory, so a read costs nothing.
  pollSeconds: 0,
  kinds: { charger },
  async link(session) {
    const credentials = session.credentials as Credentials;
    checkInstallation(credentials);
    const { password, ...kept } = credentials;
    const { identity } = kept;
    return {
      vendorAccount: identity,
      credentials: { ...kept, password_hash: await hashPassword(identity, password) },
      devices: devicesOf(identity, await loadStation(session.documents, identity)),
    };
  },
  dialIn: { path: PATH, asksForCards: true, operations, open: (host) => openStations(host, DEFAULTS) },
} satisfies Adapter;
