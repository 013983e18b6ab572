import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/queries.ts';
import type { Device, History as Page } from '../api/shapes.ts';
import { now } from '../clock.ts';
import { useEvents } from '../events/read.ts';
import { count } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import { COMMAND_TYPES } from './events.tsx';
import { type Panel, panelsOf, pointAt, valueAt } from './panels.ts';
import { Plot } from './plot.tsx';
import { RANGE_NAMES, RANGES, type RangeName } from './ranges.ts';

const texts = words.history;
const REFRESH_MS = 15_000;
const MOST_PAGES = 5;
const MOST_FIGURES = 400;
const STEPS = 200;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a device was like. */
export function History({ device }: { readonly device: Device }) {
  const [search, setSearch] = useSearch();
  const chosen = RANGE_NAMES.find((name) => name === search.get('range')) ?? 'day';
  const range = RANGES[chosen];
  const panels = useMemo(
    () => panelsOf(device.capabilities, range.resolution),
    [device.capabilities.join(), range.resolution],
  );
  const until = Date.parse(search.get('to') ?? '');
  const isNow = Number.isNaN(until);
  const { data, error, isPending } = useHistory({
    device,
    name: chosen,
    panels,
    to: isNow ? undefined : until,
  });
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
        <Ranges chosen={chosen} onChoose={(name) => setSearch({ range: name === 'day' ? '' : name })} />
      </div>
      {error === null ? null : <Failure error={error} />}
      {data === undefined ? (
        <p class="soft history-wait">{isPending ? words.loading : texts.empty}</p>
      ) : (
        <>
          <div class="row history-span">
            <button type="button" class="button button-small" onClick={() => move(data.to - range.ms)}>
              ← {texts.earlier}
            </button>
            <p class="small">{texts.span(range.moment(data.from), range.moment(data.to))}</p>
            <button
              type="button"
              class="button button-small"
              disabled={isNow}
              onClick={() => move(data.to + range.ms)}
            >
              {texts.later} →
            </button>
          </div>
          <Plots device={device} panels={panels} name={chosen} data={data} />
        </>
      )}
    </section>
  );
}

function Ranges({
  chosen,
  onChoose,
}: {
  readonly chosen: RangeName;
  readonly onChoose: (name: RangeName) => void;
}) {
  return (
    <fieldset class="ranges">
      <legend class="hidden-visually">{texts.range}</legend>
      {RANGE_NAMES.map((name) => (
        <label key={name} class="range">
          <input type="radio" name="range" checked={name === chosen} onChange={() => onChoose(name)} />
          <span>{texts.ranges[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface Loaded extends Pick<Page, 'points' | 'gaps'> {
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
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { body } = await call('GET /devices/{id}/history', {
          path: [device.id],
          query: {
            vendor: device.vendor,
            fields,
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
        if (body.cursor === null) break;
        cursor = body.cursor;
      }
      return { points, gaps, from, to };
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
      <div class="empty" ref={place}>
        <strong>{texts.empty}</strong>
        <p>{texts.emptyText}</p>
      </div>
    );
  const pointed = at === undefined ? undefined : pointAt(points, at);
  return (
    <div class="stack history" ref={place}>
      {panels.map((panel) => (
        <figure key={panel.name} class="stack-small">
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
      <Pointer {...{ panels, from, to, points, at }} moment={range.moment} onPoint={setAt} />
      <p class="hint">
        {[
          `${texts.resolutions[range.resolution]}.`,
          texts.gaps,
          commands.length === 0 ? '' : texts.marks,
        ].join(' ')}
      </p>
      <Figures panels={panels} points={points} moment={range.moment} />
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

interface PointerProps {
  readonly panels: readonly Panel[];
  readonly from: number;
  readonly to: number;
  readonly points: Loaded['points'];
  readonly at: number | undefined;
  readonly moment: (at: number) => string;
  readonly onPoint: (at: number) => void;
}

/** The keyboard's way into the plots. */
function Pointer({ panels, from, to, points, at, moment, onPoint }: PointerProps) {
  const id = useId();
  const shown = at ?? to;
  const point = pointAt(points, shown);
  const said = [moment(shown), ...panels.map((panel) => `${panel.title} ${readOut(panel, point)}`)].join(
    ', ',
  );
  return (
    <div class="pointer">
      <label for={id} class="small soft">
        {texts.pointer}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={STEPS}
        value={Math.round(((shown - from) / (to - from)) * STEPS)}
        aria-valuetext={said}
        onInput={(event) => onPoint(from + (Number(event.currentTarget.value) / STEPS) * (to - from))}
      />
      <output for={id} class="small number">
        {at === undefined ? '' : moment(at)}
      </output>
    </div>
  );
}

interface FiguresProps {
  readonly panels: readonly Panel[];
  readonly points: Loaded['points'];
  readonly moment: (at: number) => string;
}

/** The same values as a table. It is made when it is opened. */
function Figures({ panels, points, moment }: FiguresProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? points.slice(-MOST_FIGURES) : [];
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.figures}</summary>
      {isOpen ? (
        <>
          {points.length > shown.length ? <p class="hint">{texts.figuresCut(count(shown.length))}</p> : null}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <section class="table-scroll figures-scroll" tabIndex={0} aria-label={texts.figures}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.time}</th>
                  {panels.map((panel) => (
                    <th key={panel.name} scope="col" class="number">
                      {panel.title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map((point) => (
                  <tr key={point.start}>
                    <th scope="row" class="day">
                      {moment(Date.parse(point.start))}
                    </th>
                    {panels.map((panel) => (
                      <td key={panel.name} class="number">
                        {readOut(panel, point)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      ) : null}
    </details>
  );
}

/** The width of an element, px, as it is now. */
function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}
