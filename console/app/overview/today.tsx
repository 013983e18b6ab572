import { useRead } from '../api/queries.ts';
import type { Device, DeviceType } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { CONDITIONS, type Condition, conditionOf } from '../devices/condition.ts';
import { count, energy, money } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { words } from '../words/index.ts';

interface TileProps {
  readonly name: string;
  readonly value: string;
  /** What has to be known of it. */
  readonly note?: string;
}

/** A figure of the overview. */
export const Tile = ({ name, value, note }: TileProps) => (
  <div class="tile">
    <dt>{name}</dt>
    <dd>{value}</dd>
    {note === undefined ? null : <dd class="tile-note">{note}</dd>}
  </div>
);

interface TypeCount {
  readonly type: DeviceType;
  readonly all: number;
  readonly by: Readonly<Record<Condition, number>>;
}

export interface Sums {
  readonly all: number;
  readonly reachable: number;
  /** Devices whose power is in the sums. */
  readonly withPower: number;
  /** Watt, neither is negative. */
  readonly drawnW: number;
  readonly givenBackW: number;
  readonly producedW: number | undefined;
  readonly types: readonly TypeCount[];
}

/** What all devices do together. Those that cannot be reached count for no power. */
export function sumsOf(list: readonly Device[]): Sums {
  const types = new Map<DeviceType, { all: number; by: Record<Condition, number> }>();
  let [reachable, withPower, drawnW, givenBackW] = [0, 0, 0, 0];
  let producedW: number | undefined;
  for (const device of list) {
    const { device_type: type, state } = device;
    const entry = types.get(type) ?? { all: 0, by: none() };
    types.set(type, entry);
    entry.all += 1;
    entry.by[conditionOf(device)] += 1;
    if (state?.online !== true) continue;
    reachable += 1;
    if (typeof state.production_w === 'number') producedW = (producedW ?? 0) + state.production_w;
    if (typeof state.power_w !== 'number') continue;
    withPower += 1;
    if (state.power_w > 0) drawnW += state.power_w;
    else givenBackW -= state.power_w;
  }
  const counts = [...types].map(([type, counted]) => ({ type, ...counted }));
  return {
    ...{ all: list.length, reachable, withPower, drawnW, givenBackW, producedW },
    types: counts.sort((a, b) => b.all - a.all),
  };
}

const none = () => Object.fromEntries(CONDITIONS.map((one) => [one, 0])) as Record<Condition, number>;

const texts = words.overview;
const REFETCH_MS = 60_000;
type TodaySums = Operations['GET /history/today']['response'];

/** What all devices have taken, given back and cost since midnight. */
export function Today() {
  const { data, error } = useRead('GET /history/today', {}, REFETCH_MS);
  return (
    <section class="stack-small" aria-labelledby="today">
      <h2 id="today">{texts.today}</h2>
      {error === null ? null : <Failure error={error} />}
      {data === undefined ? (
        error === null ? (
          <p class="soft">{words.loading}</p>
        ) : null
      ) : (
        <Figures sums={data} />
      )}
    </section>
  );
}

function Figures({ sums }: { readonly sums: TodaySums }) {
  const { drawn, produced, given_back: givenBack, cost } = sums;
  const known = ({ devices, of }: { readonly devices: number; readonly of: number }) =>
    texts.knownOf(count(devices), count(of));
  const unknown = Object.entries(texts.unknownCosts).flatMap(([why, say]) => {
    const devices = cost.unknown[why as keyof typeof texts.unknownCosts];
    return devices === undefined ? [] : [say(count(devices))];
  });
  return (
    <>
      <dl class="tiles">
        <Tile
          name={texts.drawnToday}
          value={drawn.devices === 0 ? words.none : energy(drawn.energy_wh)}
          note={known(drawn)}
        />
        {givenBack.devices === 0 ? null : (
          <Tile name={texts.givenBackToday} value={energy(givenBack.energy_wh)} />
        )}
        {produced.of === 0 ? null : (
          <Tile
            name={texts.producedToday}
            value={produced.devices === 0 ? words.none : energy(produced.energy_wh)}
            note={known(produced)}
          />
        )}
        <Tile
          name={texts.costToday}
          value={cost.amount === null ? words.none : money(cost.amount, cost.currency)}
          note={known(cost)}
        />
      </dl>
      <p class="hint">
        {texts.todayText} {texts.costText}
        {unknown.length === 0 ? '' : ` ${unknown.join(', ')}.`}
      </p>
    </>
  );
}
