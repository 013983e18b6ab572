import type { Found } from '../../adapter/adapter.ts';
import type { Mapping } from './schemas.ts';

const FULL_TOPIC = '%prefix%/%topic%/';

/** A plug with Tasmota: one relay, and a meter where it has one. */
export function tasmotaPlug(topic: string, fullTopic = FULL_TOPIC): Found {
  const full = fullTopic.replaceAll('%topic%', topic).replace(/\/?$/, '/');
  const at = (prefix: 'cmnd' | 'stat' | 'tele', name: string) =>
    `${full.replaceAll('%prefix%', prefix)}${name}`;
  const sensor = at('tele', 'SENSOR');
  const details: Mapping = {
    reads: {
      power_on: { topic: at('stat', 'POWER'), on: 'ON', off: 'OFF' },
      read_power: { topic: sensor, pointer: '/ENERGY/Power' },
      read_energy: { topic: sensor, pointer: '/ENERGY/Total', unit: 'kWh' },
    },
    controls: { on_off: { topic: at('cmnd', 'POWER'), on: 'ON', off: 'OFF' } },
    // An empty command asks; the meter reports to SENSOR when its period is set, 300 s unless it is.
    ask: [
      { topic: at('cmnd', 'POWER'), payload: '' },
      { topic: at('cmnd', 'TelePeriod'), payload: '' },
    ],
    availability: [{ topic: at('tele', 'LWT'), online: 'Online', offline: 'Offline' }],
  };
  return {
    id: `tasmota-${topic.replaceAll(/[^\w.-]/g, '_')}`,
    type: 'smart_home_appliance',
    name: topic,
    details,
  };
}
