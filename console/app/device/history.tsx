import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { pointAt, valueAt } from '../../../src/pages/plot/shapes.ts';
import { call } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { Device, History as Page } from '../api/shapes.ts';
import { now } from '../clock.ts';
import { useEvents } from '../events/read.ts';
import { count } from '../format.ts';
import { ActionButton } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Ranges } from '../parts/inputs.tsx';
import { Empty } from '../parts/page.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { Pointer } from '../plot/pointer.tsx';
import { useWidth } from '../plot/width.ts';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { COMMAND_TYPES } from './events.tsx';
import { type Panel, panelsOf, RANGE_NAMES, RANGES, type RangeName } from './panels.ts';
import { Plot } from './plot.tsx';
import { PricePlot, type Prices, priceAt } from './prices.tsx';

const texts = words.history;
const REFRESH_MS = 15_000;
const MOST_PAGES = 5;
const MOST_FIGURES = 400;
const STEPS = 200;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The history of a device. */
export function History({ device }: { readonly device: Device }) {
  const [search, setSearch] = useSearch();
  const chosen = RANGE_NAMES.find((name) => name === search.get('range')) ?? 'day';
  const range = RANGES[chosen];
  const panels = useMemo(
    () => panelsOf(device.capabilities, range.resolution),
    [device.capabilities.join(), range.resolution],
  );
  const until = Date.parse(search.get('to') ?? '');
  // No device was there before 1970.
  const isNow = !(until > range.ms);
  const { data, error, isPending, refetch } = useHistory({
    device,
    name: chosen,
    panels,
    to: isNow ? undefined : until,
  });
  const to = data?.to ?? (isNow ? now() : until);
  const from = data?.from ?? to - range.ms;
  const move = (to: number) => setSearch({ to: to >= now() ? '' : new Date(to).toISOString() });
  if (panels.length === 0)
    return (
      <section class="stack-small" aria-labelledby="history">
        <h2 id="history">{texts.title}</h2>
        <p class="soft">{texts.noFields}</p>
      </section>
    );
  return (
    <section class="card" aria-labelledby="history">
      <div class="card-head">
        <h2 id="history">{texts.title}</h2>
        <Ranges
          {...{ legend: texts.range, options: RANGE_NAMES, texts: texts.ranges, chosen }}
          onChoose={(name) => setSearch({ range: name === 'day' ? '' : name })}
        />
      </div>
      <div class="row history-span">
        <ActionButton onClick={() => move(to - range.ms)}>← {texts.earlier}</ActionButton>
        <p class="small">{texts.span(range.moment(from), range.moment(to))}</p>
        <ActionButton isDisabled={isNow} onClick={() => move(to + range.ms)}>
          {texts.later} →
        </ActionButton>
      </div>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isPending ? <p class="soft history-wait">{words.loading}</p> : null}
      {data === undefined ? null : <Plots device={device} panels={panels} name={chosen} data={data} />}
    </section>
  );
}

interface Loaded extends Pick<Page, 'points' | 'gaps'> {
  readonly prices: Prices | undefined;
  readonly from: number;
  readonly to: number;
}

interface HistoryQuery {
  readonly device: Device;
  readonly name: RangeName;
  readonly panels: readonly Panel[];
  /** undefined: now, and so on. */
  readonly to: number | undefined;
}

function useHistory({ device, name, panels, to: until }: HistoryQuery) {
  const range = RANGES[name];
  const fields = panels.flatMap((panel) => panel.fields).join(',');
  return useQuery<Loaded>({
    key: ['GET /devices/{id}/history', device.vendor, device.id, name, fields, until],
    ...(until === undefined ? { refetchMs: REFRESH_MS } : { staleMs: Number.POSITIVE_INFINITY }),
    async load(signal) {
      const to = until ?? now();
      const from = to - range.ms;
      const points: Page['points'][number][] = [];
      const gaps: Page['gaps'][number][] = [];
      const slots: Prices['slots'][number][] = [];
      let prices: Prices | undefined;
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { body } = await call('GET /devices/{id}/history', {
          path: [device.id],
          query: {
            vendor: device.vendor,
            fields: `${fields},price`,
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            resolution: range.resolution,
            timezone: ZONE,
            limit: range.resolution === 'raw' ? 10_000 : 2_500,
            cursor,
          },
          signal,
        });
        points.push(...body.points);
        gaps.push(...body.gaps);
        // A slot at the edge of two pages is in both.
        const read = slots.at(-1)?.end ?? '';
        slots.push(...(body.prices?.slots.filter(({ start }) => start >= read) ?? []));
        prices = body.prices && { ...body.prices, slots };
        if (body.cursor === null) break;
        cursor = body.cursor;
      }
      return { points, gaps, prices, from, to };
    },
  });
}

interface PlotsProps {
  readonly device: Device;
  readonly panels: readonly Panel[];
  readonly name: RangeName;
  readonly data: Loaded;
}

function Plots({ device, panels, name, data }: PlotsProps) {
  const range = RANGES[name];
  const { from, to, points } = data;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const [at, setAt] = useState<number>();
  const events = useEvents({ types: COMMAND_TYPES, device: device.id });
  const commands = useMemo(
    () =>
      events.list.filter(({ occurred_at, subject }) => {
        const moment = Date.parse(occurred_at);
        return subject.vendor === device.vendor && moment >= from && moment <= to;
      }),
    [events.list, from, to],
  );
  const isEmpty = !points.some((point) =>
    panels.some(({ fields }) => fields.some((one) => valueAt(point, one) !== undefined)),
  );
  if (isEmpty)
    return (
      <div ref={place}>
        <Empty title={texts.empty} text={texts.emptyText} />
      </div>
    );
  const pointed = at === undefined ? undefined : pointAt(points, at);
  return (
    <div class="stack history" ref={place}>
      {panels.map((panel) => (
        <figure key={panel.unit} class="stack-small">
          <figcaption class="plot-title">
            <span>{panel.title}</span>
            <span class="number">{at === undefined ? '' : readOut(panel, pointed)}</span>
          </figcaption>
          {width === 0 ? null : (
            <Plot
              panel={panel}
              history={data}
              from={from}
              to={to}
              width={width}
              tick={range.tick}
              commands={commands}
              at={at}
              onPoint={setAt}
            />
          )}
        </figure>
      ))}
      {data.prices === undefined ? null : (
        <PricePlot {...{ device, from, to, width, at }} prices={data.prices} onPoint={setAt} />
      )}
      <Pointer
        {...{ from, to, at }}
        steps={STEPS}
        rest={to}
        moment={range.moment}
        said={(moment) =>
          [
            ...panels.map((panel) => `${panel.title} ${readOut(panel, pointAt(points, moment))}`),
            priceAt(data.prices, moment),
          ]
            .filter((one) => one !== '')
            .join(', ')
        }
        onPoint={setAt}
      />
      <p class="hint">
        {[
          `${texts.resolutions[range.resolution]}.`,
          texts.gaps,
          commands.length === 0 ? '' : texts.marks,
        ].join(' ')}
      </p>
      <Figures panels={panels} points={points} prices={data.prices} moment={range.moment} />
    </div>
  );
}

const readOut = (panel: Panel, point: Parameters<typeof valueAt>[0]): string => {
  const values = panel.fields.flatMap((field) => {
    const value = valueAt(point, field);
    return value === undefined ? [] : [panel.format(value)];
  });
  return values.length === 0 ? texts.nothingKnown : values.join(' · ');
};

interface FiguresProps {
  readonly panels: readonly Panel[];
  readonly points: Loaded['points'];
  readonly prices: Prices | undefined;
  readonly moment: (at: number) => string;
}

/** The same values as a table. It is made when it is opened. */
function Figures({ panels, points, prices, moment }: FiguresProps) {
  const [isOpen, setOpen] = useState(false);
  const label = useId();
  const shown = isOpen ? points.slice(-MOST_FIGURES) : [];
  const isPriced = prices !== undefined && prices.slots.length > 0;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary id={label}>{texts.figures}</summary>
      {isOpen ? (
        <>
          {points.length > shown.length ? <p class="hint">{texts.figuresCut(count(shown.length))}</p> : null}
          <TableScroll labelledBy={label} isTall>
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.time}</th>
                  {panels.map((panel) => (
                    <th key={panel.unit} scope="col" class="number">
                      {panel.title}
                    </th>
                  ))}
                  {isPriced ? (
                    <th scope="col" class="number">
                      {texts.spotPrice}
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {shown.map((point) => (
                  <tr key={point.start}>
                    <th scope="row" class="day">
                      {moment(Date.parse(point.start))}
                    </th>
                    {panels.map((panel) => (
                      <td key={panel.unit} class="number">
                        {readOut(panel, point)}
                      </td>
                    ))}
                    {isPriced ? (
                      <td class="number">{priceAt(prices, Date.parse(point.start)) || texts.nothingKnown}</td>
                    ) : null}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableScroll>
        </>
      ) : null}
    </details>
  );
}
