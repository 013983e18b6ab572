import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Link, PriceArea } from '../api/shapes.ts';
import { sentenceOf } from '../parts/failure.tsx';
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

/** The price area of a link, which is stored as it is chosen. */
export function AreaOfLink({ link, label }: { readonly link: Link; readonly label: string }) {
  const [chosen, setChosen] = useState<PriceArea | null>();
  const [result, setResult] = useState<Error | 'stored'>();
  const choose = async (area: PriceArea | null) => {
    setChosen(area);
    setResult(undefined);
    try {
      await call('PATCH /links/{id}', { path: [link.id], body: { price_area: area } });
      setResult('stored');
      invalidate('GET /links');
    } catch (error) {
      setChosen(undefined);
      setResult(error as Error);
    }
  };
  return (
    <div class="link-area">
      <select
        aria-label={label}
        value={(chosen === undefined ? link.price_area : chosen) ?? ''}
        onChange={(event) => void choose(areaIn(event.currentTarget.value))}
      >
        <AreaOptions none={texts.noArea} />
      </select>
      <span class={result instanceof Error ? 'fault' : 'hint'} role="status">
        {result === 'stored' ? texts.stored : result === undefined ? '' : sentenceOf(result)}
      </span>
    </div>
  );
}
