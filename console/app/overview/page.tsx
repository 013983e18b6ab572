import { useEffect, useState } from 'preact/hooks';
import { CONDITIONS } from '../devices/condition.ts';
import { NoDevices } from '../devices/condition-mark.tsx';
import { count, power } from '../format.ts';
import { devices } from '../live/index.ts';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { useTitle } from '../parts/page.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';
import { Needs } from './needs.tsx';
import { type Sums, sumsOf } from './sums.ts';
import { Tile, Today } from './today.tsx';

const texts = words.overview;
/** Figures that change faster cannot be read. */
const REDRAW_MS = 1_000;

/** All of the account at a glance. */
export function OverviewPage() {
  useTitle(texts.title);
  const all = useDevicesNowAndThen();
  if (all.status === 'failed' && all.error !== undefined)
    return (
      <div class="stack">
        <h1>{texts.title}</h1>
        <Failure error={all.error} onRetry={() => void devices.load()} />
      </div>
    );
  // Sums of a part of the list would be wrong.
  if (all.status === 'loading')
    return (
      <div class="stack">
        <h1>{texts.title}</h1>
        <p class="soft">{words.loading}</p>
      </div>
    );
  const sums = sumsOf(all.list);
  return (
    <div class="stack overview">
      <h1>{texts.title}</h1>
      {sums.all === 0 ? <NoDevices /> : <Tiles sums={sums} />}
      {sums.all === 0 ? null : <Today />}
      <Needs />
      {sums.all === 0 ? null : <ByType sums={sums} />}
    </div>
  );
}

function Tiles({ sums }: { readonly sums: Sums }) {
  return (
    <div class="stack-small">
      <dl class="tiles">
        <Tile name={texts.drawn} value={power(sums.drawnW)} />
        <Tile name={texts.givenBack} value={power(sums.givenBackW)} />
        {sums.producedW === undefined ? null : <Tile name={texts.produced} value={power(sums.producedW)} />}
        {sums.gridW === undefined ? null : <Tile name={texts.grid} value={power(sums.gridW)} />}
        {sums.housesW === undefined ? null : <Tile name={texts.houses} value={power(sums.housesW)} />}
        <Tile name={texts.reachable} value={texts.ofDevices(count(sums.reachable), count(sums.all))} />
      </dl>
      <p class="hint">
        {texts.powerText(count(sums.withPower))} {texts.onceText}
      </p>
    </div>
  );
}

function ByType({ sums }: { readonly sums: Sums }) {
  const columns = CONDITIONS.filter((one) => sums.types.some(({ by }) => by[one] > 0));
  return (
    <section class="stack-small" aria-labelledby="by-type">
      <h2 id="by-type">{texts.byType}</h2>
      <TableScroll labelledBy="by-type">
        <table class="by-type">
          <thead>
            <tr>
              <th scope="col">{texts.type}</th>
              {columns.map((one) => (
                <th key={one} scope="col" class="number">
                  {words.conditions[one]}
                </th>
              ))}
              <th scope="col" class="number">
                {texts.total}
              </th>
            </tr>
          </thead>
          <tbody>
            {sums.types.map(({ type, all, by }) => (
              <tr key={type}>
                <th scope="row">
                  <Link href={hrefOf({ page: 'devices' }, { type })}>{words.types[type]}</Link>
                </th>
                {columns.map((one) => (
                  <td key={one} class="number">
                    {by[one] === 0 ? (
                      <span class="soft">{count(0)}</span>
                    ) : (
                      <Link href={hrefOf({ page: 'devices' }, { type, state: one })}>{count(by[one])}</Link>
                    )}
                  </td>
                ))}
                <td class="number">{count(all)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  );
}

function useDevicesNowAndThen() {
  const [all, setAll] = useState(devices.get());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let status: string;
    const take = () => {
      timer = undefined;
      const taken = devices.get();
      status = taken.status;
      setAll(taken);
    };
    take();
    const release = devices.subscribe(() => {
      // The whole list is shown at once when it is loaded.
      if (devices.get().status !== status) take();
      else timer ??= setTimeout(take, REDRAW_MS);
    });
    return () => {
      clearTimeout(timer);
      release();
    };
  }, []);
  return all;
}
