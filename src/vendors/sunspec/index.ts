import Type from 'typebox';
import { type Adapter, kind } from '../../adapter/adapter.ts';
import { fits, NAME_OR_ADDRESS } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { REVERT_SECONDS, releaseBattery, releaseLimit, setBatteryPower, setLimit } from './commands.ts';
import {
  Details,
  detailsIn,
  NAME,
  openUnit,
  type Reading,
  readingIn,
  readRegisters,
  spansOf,
} from './device.ts';
import { identified, link, list } from './find.ts';

import {
  type Battery,
  batteryIn,
  type Meter,
  meterIn,
  type Solar,
  solarIn,
  solarLimits,
} from './translate.ts';

type Detailed = { readonly details?: unknown };
const known = ({ details }: Detailed): Details | undefined => (fits(Details, details) ? details : undefined);
const lacksControl = (found: Detailed) => known(found)?.control === null;
const hasUnknownPower = (found: Detailed) => known(found)?.source === 'unknown';
const revertSeconds = (found: Detailed) => (known(found)?.reverts === true ? REVERT_SECONDS : undefined);

/** What the kind of a device makes of its registers. */
function rawOf(reading: Reading, device: DeviceRef): Solar | Battery | Meter {
  const details = detailsIn(device);
  if (device.type === 'solar_inverter') return solarIn(reading, details);
  return device.type === 'battery' ? batteryIn(reading, details) : meterIn(reading, details);
}

/** Reads devices of a unit with as few requests as their places permit; one that is not where it was found is left out. */
async function sweep(session: Session, devices: readonly DeviceRef[]): Promise<ReadonlyMap<string, unknown>> {
  const readings = new Map<string, unknown>();
  const known = devices.map((device) => ({ device, details: detailsIn(device) }));
  for (const [unit, group] of Map.groupBy(known, ({ details }) => details.unit)) {
    const spans = group.flatMap(({ details }) => spansOf(details));
    const registers = await readRegisters(openUnit(session, unit), spans, {});
    for (const { device, details } of group) {
      try {
        readings.set(device.id, rawOf(readingIn(registers, details), device));
      } catch {
        // Read by itself, it says what is wrong.
      }
    }
  }
  return readings;
}

const read =
  <Raw>() =>
  async (session: Session, device: DeviceRef): Promise<Raw> => {
    const details = detailsIn(device);
    const unit = openUnit(session, details.unit);
    const registers = await readRegisters(unit, spansOf(details), { device: device.id });
    return rawOf(readingIn(registers, details), device) as Raw;
  };

const words = {
  en: {
    host: {
      label: 'IP address of the inverter',
      hint: 'In the list of devices of your router, or on the display of the inverter under network. First switch on Modbus TCP (SunSpec) in the settings of the inverter.',
    },
    port: { label: 'Port', hint: 'Leave empty if you do not know: 502. SolarEdge uses 1502.' },
    unit: {
      label: 'Modbus unit (device ID)',
      hint: 'Leave empty if you do not know: it is looked for. Needed for a meter or several inverters behind one address.',
    },
  },
  sv: {
    host: {
      label: 'Växelriktarens IP-adress',
      hint: 'Finns i routerns lista över enheter, eller i växelriktarens display under nätverk. Slå först på Modbus TCP (SunSpec) i växelriktarens inställningar.',
    },
    port: { label: 'Port', hint: 'Lämna tomt om du inte vet: 502. SolarEdge använder 1502.' },
    unit: {
      label: 'Modbus-enhet (unit ID)',
      hint: 'Lämna tomt om du inte vet: den letas upp. Behövs för en mätare eller flera växelriktare bakom samma adress.',
    },
  },
};

/** Inverters, batteries and meters that speak SunSpec over Modbus TCP, in the user's own network. */
export const sunspec = {
  slug: 'sunspec',
  name: NAME,
  credentials: Type.Object(
    {
      host: Type.String({ pattern: `^${NAME_OR_ADDRESS}$`, minLength: 1, maxLength: 256 }),
      port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
      unit: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    },
    { additionalProperties: false },
  ),
  words,
  isLocal: true,
  ports: [502, 1502],
  discovers: {
    ports: [502, 1502],
    credentialsAt: ({ host, port }) => (port === 502 ? { host } : { host, port }),
    identify: identified,
  },
  // Most inverters measure every second or two, and serve one client. With the spread of turns they are read every five seconds.
  pace: { active: 4, idle: 4, asleep: 60 },
  localSimulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 4,
  link,
  list,
  sweep,
  kinds: {
    solar_inverter: kind<Solar>({
      read: read<Solar>(),
      status: ({ status }) => status,
      unrecognized: ({ unrecognized }) => unrecognized,
      reads: {
        read_production: ({ productionW }) => productionW,
        read_power: ({ powerW }) => powerW,
        read_energy: ({ energyWh }) => energyWh,
        read_temperature: ({ milliC }) => milliC,
      },
      controls: { load_balancing: { set_limit: setLimit } },
      timed: { set_limit: setLimit },
      setPoints: { set_limit: { revertSeconds, release: releaseLimit } },
      limits: solarLimits,
      availableCapacity: ({ limitW, productionW }) => ({
        current_a: null,
        power_w:
          limitW === null || productionW === null ? null : Math.max(0, Math.floor(limitW - productionW)),
      }),
      withholds: (found) => [
        ...(hasUnknownPower(found) ? (['read_production'] as const) : []),
        ...(lacksControl(found) ? (['load_balancing'] as const) : []),
      ],
      whyWithheld: (found) =>
        lacksControl(found)
          ? 'the inverter has no limit of its power in SunSpec (models 123 and 121 or 120, or 704 and 702)'
          : undefined,
    }),
    battery: kind<Battery>({
      read: read<Battery>(),
      status: ({ status }) => status,
      unrecognized: ({ unrecognized }) => unrecognized,
      reads: { read_battery_soc: ({ soc }) => soc, read_power: ({ powerW }) => powerW },
      controls: { set_battery_power: { set_battery_power: setBatteryPower } },
      timed: { set_battery_power: setBatteryPower },
      setPoints: { set_battery_power: { revertSeconds, release: releaseBattery } },
      limits: ({ limits }) => limits,
      withholds: (found) => [
        ...(hasUnknownPower(found) ? (['read_power'] as const) : []),
        ...(lacksControl(found) ? (['set_battery_power'] as const) : []),
      ],
      whyWithheld: (found) =>
        lacksControl(found)
          ? 'the battery has no set-point of its own in SunSpec (model 124, or 704 where no panels are behind the same inverter)'
          : undefined,
    }),
    industrial: kind<Meter>({
      read: read<Meter>(),
      status: () => ({ online: true }),
      reads: { read_power: ({ powerW }) => powerW, read_energy: ({ importedWh }) => importedWh },
      controls: {},
    }),
  },
} satisfies Adapter;
