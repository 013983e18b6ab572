import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Link, PriceArea } from '../api/shapes.ts';
import { ErrorText } from '../parts/failure.tsx';
import { newestWins } from '../parts/newest.ts';
import { words } from '../words/index.ts';

const texts = words.links;
const AREAS: readonly PriceArea[] = ['SE1', 'SE2', 'SE3', 'SE4'];
/** The price area that a text names; null for any other. */
export const areaIn = (text: string): PriceArea | null => AREAS.find((one) => one === text) ?? null;

/** The options of a choice of a price area. */
export function AreaOptions({ none }: { readonly none: string }) {
  return (
    <>
      <option value="">{none}</option>
      {AREAS.map((one) => (
        <option key={one} value={one}>
          {texts.areas[one]}
        </option>
      ))}
    </>
  );
}

/** The price area of a link, which is stored as it is chosen: one choice at a time, so that the last one is what stays. */
export function AreaOfLink({ link, label }: { readonly link: Link; readonly label: string }) {
  const [chosen, setChosen] = useState<PriceArea | null>();
  const [result, setResult] = useState<Error | 'stored'>();
  const newest = useRef<PriceArea | null>(null);
  const storing = useMemo(
    () =>
      newestWins<PriceArea | null, void>(
        (area) => store(link.id, area),
        (outcome) => {
          if (outcome.question !== newest.current) return;
          if ('error' in outcome) setChosen(undefined);
          setResult('error' in outcome ? outcome.error : 'stored');
        },
      ),
    [link.id],
  );
  const choose = (area: PriceArea | null) => {
    newest.current = area;
    setChosen(area);
    setResult(undefined);
    storing.ask(area);
  };
  // From then on it may be changed elsewhere.
  useEffect(() => {
    if (chosen === link.price_area) setChosen(undefined);
  }, [chosen, link.price_area]);
  return (
    <div class="link-area">
      <select
        aria-label={label}
        value={(chosen === undefined ? link.price_area : chosen) ?? ''}
        onChange={(event) => choose(areaIn(event.currentTarget.value))}
      >
        <AreaOptions none={texts.noArea} />
      </select>
      <span class={result instanceof Error ? 'fault' : 'hint'} role="status">
        {result instanceof Error ? <ErrorText error={result} /> : result === 'stored' ? texts.stored : null}
      </span>
    </div>
  );
}

async function store(id: string, area: PriceArea | null): Promise<void> {
  await call('PATCH /links/{id}', { path: [id], body: { price_area: area } });
  invalidate('GET /links');
  invalidate('GET /devices/{id}/history');
  invalidate('GET /history/today');
}
