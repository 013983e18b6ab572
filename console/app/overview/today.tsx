import { useRead } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { count, energy, money } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { words } from '../words/index.ts';
import { Tile } from './tile.tsx';

const texts = words.overview;
const REFETCH_MS = 60_000;
type Sums = Operations['GET /history/today']['response'];

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

function Figures({ sums }: { readonly sums: Sums }) {
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
