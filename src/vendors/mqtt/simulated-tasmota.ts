import { load, type Options, type SimulatedDevice } from './simulated-device.ts';

const FULLY_DIMMED = 100;

/** What the relays of a device switch, in their order; the last of them can be a lamp that is dimmed. */
export interface SimulatedRelays {
  readonly watts: readonly number[];
  readonly canDim?: true;
}

/** A device with Tasmota, with its telemetry and answers: a device of ours for each relay. */
export function tasmota(
  topic: string,
  { watts, canDim }: SimulatedRelays,
  { clock, publish, fault }: Options,
): SimulatedDevice[] {
  const isOdd = () => fault() === 'unknown_values';
  const relays = watts.map((each, index) => ({
    ...load(clock, { watts: each, wh: 12_000 }),
    name: watts.length === 1 ? 'POWER' : `POWER${index + 1}`,
  }));
  const lamp = canDim === undefined ? undefined : relays.at(-1);
  type Relay = (typeof relays)[number];
  const word = ({ state }: Relay) => (isOdd() ? 'BLINK' : state.isOn ? 'ON' : 'OFF');
  const dimmer = () =>
    lamp === undefined ? {} : { Dimmer: isOdd() ? 'n/a' : Math.round(lamp.state.share * FULLY_DIMMED) };
  const ofAll = <T>(one: (relay: Relay) => T) => {
    const values = relays.map(one);
    return values.length === 1 ? values[0] : values;
  };
  const tell = (prefix: 'stat' | 'tele', name: string, content: object) =>
    publish(`${prefix}/${topic}/${name}`, JSON.stringify(content));
  const tellPower = (relay: Relay) => {
    tell('stat', 'RESULT', { [relay.name]: word(relay), ...(relay === lamp ? dimmer() : {}) });
    publish(`stat/${topic}/${relay.name}`, word(relay));
  };
  const sensors = () => ({
    Time: new Date(clock.now()).toISOString().slice(0, 19),
    ENERGY: {
      Total: ofAll(({ energy }) => energy() / 1_000),
      Power: ofAll(({ power }) => (isOdd() ? 'nan' : Math.round(power()))),
      Voltage: 230,
    },
  });
  const tellSensor = () => tell('tele', 'SENSOR', sensors());
  const settle = () => {
    for (const { energy } of relays) energy();
  };
  publish(`tele/${topic}/LWT`, 'Online', true);

  /** What belongs to the device, and to no relay alone. */
  function takeAll(name: string, payload: string): string | undefined {
    if (name === 'TelePeriod') tellSensor();
    if (name === 'STATUS' && payload === '10') tell('stat', 'STATUS10', { StatusSNS: sensors() });
    if (name === 'STATUS' && payload === '11')
      tell('stat', 'STATUS11', {
        StatusSTS: { ...Object.fromEntries(relays.map((relay) => [relay.name, word(relay)])), ...dimmer() },
      });
    if (name !== 'Dimmer' || lamp === undefined) return undefined;
    settle();
    if (payload !== '')
      Object.assign(lamp.state, { isOn: payload !== '0', share: Number(payload) / FULLY_DIMMED });
    tellPower(lamp);
    return payload === '' ? undefined : `${topic} ${name} ${payload}`;
  }

  return relays.map((relay, index) => ({
    id: `tasmota-${topic}${index === 0 ? '' : `:${index + 1}`}`,
    isAsked: true,
    report: index === 0 ? tellSensor : () => {},
    take(to, payload) {
      if (!to.startsWith(`cmnd/${topic}/`)) return undefined;
      const name = to.slice(`cmnd/${topic}/`.length);
      if (name !== relay.name) return index === 0 ? takeAll(name, payload) : undefined;
      settle();
      if (payload !== '') relay.state.isOn = payload === 'ON';
      tellPower(relay);
      return payload === '' ? undefined : `${topic} ${name} ${payload}`;
    },
    arrange(situation) {
      settle();
      Object.assign(relay.state, { isOn: situation !== 'off', share: 1 });
      tellPower(relay);
      tellSensor();
    },
  }));
}
