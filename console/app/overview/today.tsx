import { useRead } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
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
  const meters = [
    { name: texts.fromGridToday, sum: sums.drawn_from_grid },
    { name: texts.toGridToday, sum: sums.given_to_grid },
    { name: texts.housesToday, sum: sums.used_by_houses },
  ];
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
        {meters.map(({ name, sum }) =>
          sum.devices === 0 ? null : <Tile key={name} name={name} value={energy(sum.energy_wh)} />,
        )}
      </dl>
      <p class="hint">
        {texts.todayText} {texts.costText} {texts.onceText}
        {unknown.length === 0 ? '' : ` ${unknown.join(', ')}.`}
      </p>
    </>
  );
}
