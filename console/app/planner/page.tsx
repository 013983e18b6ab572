import { useMemo, useRef, useState } from 'preact/hooks';
import { extentOf } from '../../../src/pages/plot/shapes.ts';
import { now, useNow } from '../clock.ts';
import { ago, clockTime, ore, shortDateTime, weekday } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { Pointer } from '../plot/pointer.tsx';
import { useWidth } from '../plot/width.ts';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';
import type { FieldName } from './car.ts';
import { type Choices, readForm, useChoices } from './choices.ts';
import { Compare } from './compare.tsx';
import { ChargeForm } from './form.tsx';
import { type ChosenCar, type Prices, SAMPLE, useArea, useCars, useChosenCar, usePrices } from './known.ts';
import { type Planned, usePlans } from './plans.ts';
import { PlanPlot, readOut } from './plot.tsx';
import { type PlanPoint, pointsOf, slotAt } from './points.ts';
import type { Charge } from './request.ts';
import { lastEndingBy, nextHourOfDay, type Slot, slotsFrom } from './slots.ts';
import { AsCode, Notice, PlanTable, VerdictNotice } from './table.tsx';
import { verdictOf } from './verdict.ts';

const texts = words.planner;
const MORNING = 7;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const moment = (at: number): string => `${weekday(at)} ${clockTime(at)}`;

/** When a car charges cheapest until it must be ready. */
export function PlannerPage() {
  const [choices, choose] = useChoices();
  const { area, from: areaFrom } = useArea(choices);
  const car = useChosenCar(choices);
  const cars = useCars();
  const prices = usePrices(area);
  const read = readForm(choices, car.known);
  const deadline = deadlineOf(choices, prices.slots);
  const usable = useMemo(
    () => slotsFrom(prices.slots ?? [], read.from ?? Number.NEGATIVE_INFINITY),
    [prices.slots, read.from],
  );
  const lastSlot = lastEndingBy(usable, deadline);
  const charge: Charge | undefined =
    read.numbers === undefined || lastSlot === -1
      ? undefined
      : {
          ...{ area, setting: read.setting, numbers: read.numbers, slots: usable, lastSlot },
          isFromNow: usable.length === prices.slots?.length,
        };
  const planned = usePlans(charge, () => void prices.result.refetch());
  const hintOf = useHints(choices, car);
  return (
    <Page texts={texts} class="planner">
      <section class="card" aria-labelledby="charge">
        <h2 id="charge">{texts.charge}</h2>
        <ChargeForm
          {...{ area, areaFrom, cars, choices, read, hintOf, deadline }}
          device={car.device}
          onChange={choose}
        />
        <CarNote car={car} choices={choices} />
      </section>
      <ThePlan
        {...{ prices, planned, charge, usable, deadline }}
        from={read.from}
        onDeadline={(at) => choose({ by: new Date(at).toISOString() })}
      />
    </Page>
  );
}

/** The deadline that was chosen; else the next morning, as far as prices are known. */
function deadlineOf({ by = '' }: Choices, slots: readonly Slot[] | undefined): number {
  const chosen = Date.parse(by);
  if (!Number.isNaN(chosen)) return chosen;
  const [first] = slots ?? [];
  const end = slots?.at(-1)?.end;
  if (first === undefined || end === undefined) return nextHourOfDay(now(), MORNING);
  return Math.min(nextHourOfDay(first.end, MORNING), end);
}

/** Where the values of fields come from: what was typed has no hint. */
function useHints(choices: Choices, { known, measuredAt }: ChosenCar): (name: FieldName) => string {
  const at = useNow(15_000);
  return (name) => {
    if (choices[name] !== undefined) return texts.notes[name];
    // What is wanted is not a thing that could be known.
    if (name === 'target') return texts.notes.target;
    if (known?.numbers[name] === undefined) return [texts.usual, texts.notes[name]].join(' ').trim();
    if (name === 'soc' && measuredAt !== undefined) return words.device.measured(ago(measuredAt, at));
    return texts.ofDevice;
  };
}

/** What is to be known of the chosen car: where it is, and whether it could be read. */
function CarNote({ car, choices }: { readonly car: ChosenCar; readonly choices: Choices }) {
  const { device, reading } = car;
  if (choices.device === undefined) return null;
  return (
    <>
      {reading.error === null ? null : <Failure title={words.device.readFailed} error={reading.error} />}
      {device === undefined ? (
        reading.error === null && <p class="soft">{words.loading}</p>
      ) : (
        <p class="small">
          <Link href={hrefOf({ page: 'device', vendor: device.vendor, id: device.id })}>{texts.toCar}</Link>
        </p>
      )}
    </>
  );
}

interface ThePlanProps {
  readonly prices: Prices;
  readonly planned: Planned;
  readonly charge: Charge | undefined;
  readonly usable: readonly Slot[];
  readonly from: number | undefined;
  readonly deadline: number;
  readonly onDeadline: (at: number) => void;
}

function ThePlan({ prices, planned, charge, usable, from, deadline, onDeadline }: ThePlanProps) {
  const { slots, result, source } = prices;
  if (slots === undefined || slots.length === 0)
    return result.error === null ? (
      <p class="soft">{words.loading}</p>
    ) : (
      <>
        <Failure title={texts.noPrices} error={result.error} onRetry={() => void result.refetch()} />
        <p>{texts.noPricesText}</p>
      </>
    );
  const { error, retry } = planned;
  const shown = charge === undefined || error !== undefined ? undefined : planned.shown;
  const end = slots.at(-1)?.end ?? 0;
  const verdict =
    shown === undefined
      ? undefined
      : verdictOf({ ...shown.plans, slots: shown.charge.slots, numbers: shown.charge.numbers });
  return (
    <>
      {source === SAMPLE ? <Notice title={texts.sample}>{texts.sampleText}</Notice> : null}
      {deadline > end ? (
        <Notice title={texts.pricesEnd(moment(end))}>
          {texts.pricesEndText} {texts.published}
        </Notice>
      ) : null}
      <Drawing
        {...{ slots, deadline, onDeadline, planned: shown }}
        from={from ?? 0}
        isAsking={planned.isAsking}
      />
      {/* Below the plot, which stays where it is while the deadline is moved. */}
      {charge === undefined ? <NoPlan usable={usable} deadline={deadline} /> : null}
      {error === undefined ? null : <Failure title={texts.notPlanned} error={error} onRetry={retry} />}
      {verdict === undefined || shown === undefined ? null : (
        <VerdictNotice
          {...{ verdict, moment }}
          target={shown.charge.numbers.target}
          pricesUntil={moment(end)}
        />
      )}
      {shown === undefined ? null : <Results {...shown} hasCost={verdict?.is === 'reached'} />}
    </>
  );
}

type ResultsProps = NonNullable<Planned['shown']> & { readonly hasCost: boolean };

/** What a plan costs, and the plan for a program: drawn with each plan, not with each move of the deadline. */
const Results = ({ charge, plans, hasCost }: ResultsProps) =>
  useMemo(
    () => (
      <>
        {hasCost ? <Compare charge={charge} plans={plans} /> : null}
        <AsCode plans={plans} />
      </>
    ),
    [plans, hasCost],
  );

/** Why nothing is planned: no slot fits before the deadline, or a field is wrong. */
function NoPlan({ usable, deadline }: Pick<ThePlanProps, 'usable' | 'deadline'>) {
  const [first] = usable;
  if (first === undefined) return <Notice title={texts.noTime}>{texts.noTimeText}</Notice>;
  if (deadline < first.end)
    return <Notice title={texts.tooSoon}>{texts.noSlotText(moment(deadline), moment(first.end))}</Notice>;
  return <Notice title={texts.notYet}>{texts.notYetText}</Notice>;
}

function describe(points: readonly PlanPoint[]): string {
  const [least, most] = extentOf(points, ['ore']) ?? [0, 0];
  return texts.describe(ore(least), ore(most));
}

const momentOf = (point: PlanPoint | undefined): string =>
  point === undefined ? '' : moment(Date.parse(point.start));

interface DrawingProps {
  readonly slots: readonly Slot[];
  readonly planned: Planned['shown'];
  readonly isAsking: boolean;
  readonly from: number;
  readonly deadline: number;
  readonly onDeadline: (at: number) => void;
}

/** Prices and plan, drawn and as a table. */
function Drawing({ slots, planned, isAsking, from, deadline, onDeadline }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const [at, setAt] = useState<number>();
  const cheapest = planned?.plans.cheapest;
  const points: readonly PlanPoint[] = useMemo(() => pointsOf(slots, cheapest), [slots, cheapest]);
  const [start, end] = [slots[0]?.start ?? 0, slots.at(-1)?.end ?? 1];
  const table = useMemo(() => <PlanTable points={points} moment={moment} />, [points]);
  const said = (one: number) => readOut(slotAt(points, one));
  return (
    <section class="card" aria-labelledby="plan" aria-busy={isAsking}>
      <h2 id="plan">{texts.plan}</h2>
      <figure class="stack-small" ref={place} aria-label={describe(points)}>
        <figcaption class="plot-title">
          <span class="row">
            <span class="swatch swatch-block series-2" aria-hidden="true" /> {texts.legend}
          </span>
          <span class="plan-read">
            {at === undefined ? '' : `${momentOf(slotAt(points, at))} · ${said(at)}`}
          </span>
        </figcaption>
        {width === 0 ? null : (
          <PlanPlot {...{ slots, points, width, from, deadline, at, moment, onDeadline }} onPoint={setAt} />
        )}
      </figure>
      <Pointer
        {...{ from: start, to: end, at, said }}
        moment={(one) => momentOf(slotAt(points, one))}
        steps={slots.length}
        rest={start}
        onPoint={setAt}
      />
      <p class="hint">
        {texts.handle} {texts.knownUntil(shortDateTime(end))} {texts.zone(ZONE)}
      </p>
      {table}
    </section>
  );
}
