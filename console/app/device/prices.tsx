import { scaleLinear, scaleTime } from 'd3-scale';
import { stepOf } from '../../../src/pages/plot/price-steps.ts';
import { useRead } from '../api/queries.ts';
import type { Device, History } from '../api/shapes.ts';
import { ore, orePerKwh } from '../format.ts';
import { AreaOfLink } from '../links/area.tsx';
import { Link } from '../parts/link.tsx';
import { ValueAxis } from '../plot/axes.tsx';
import { PlotFrame, type Pointed } from '../plot/frame.tsx';
import { hrefOf } from '../route.ts';
import { words } from '../words/index.ts';
import { MARGIN } from './plot.tsx';

const texts = words.history;
const HEIGHT = 96;
const TICKS = 3;
const ORE = 100;

export type Prices = NonNullable<History['prices']>;
type Slot = Prices['slots'][number];

const oreOf = (sek: number): string => orePerKwh(sek * ORE);

/** The price at a moment, in words; empty where there is none. */
export function priceAt(prices: Prices | undefined, at: number): string {
  const moment = new Date(at).toISOString();
  const slot = prices?.slots.find(({ start, end }) => start <= moment && end > moment);
  return slot === undefined ? '' : oreOf(Number(slot.price));
}

interface PricesProps extends Pointed {
  readonly device: Device;
  readonly prices: Prices;
  readonly from: number;
  readonly to: number;
  /** px */
  readonly width: number;
}

/** The prices of the same time as the plots above, in the same place. */
export function PricePlot(props: PricesProps) {
  const { device, prices, at } = props;
  if (prices.area === null) return <NoArea device={device} />;
  return (
    <figure class="stack-small">
      <figcaption class="plot-title">
        <span>{texts.price(words.links.areas[prices.area])}</span>
        <span class="number">{at === undefined ? '' : priceAt(prices, at)}</span>
      </figcaption>
      {prices.slots.length === 0 ? (
        <p class="soft small">{texts.noPrices}</p>
      ) : props.width === 0 ? null : (
        <Bars {...props} />
      )}
      <p class="hint">{texts.priceText}</p>
    </figure>
  );
}

function Bars({ prices: { slots }, from, to, width, at, onPoint }: PricesProps) {
  const values = slots.map(({ price }) => Number(price));
  const [least, most] = [Math.min(0, ...values), Math.max(0.01, ...values)];
  const x = scaleTime()
    .domain([from, to])
    .range([MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear()
    .domain([least, most])
    .range([HEIGHT - 4, 8]);
  const place = (moment: string) =>
    Math.min(Math.max(x(Date.parse(moment)), MARGIN.left), width - MARGIN.right);
  const bar = ({ start, end, price }: Slot) => {
    const [left, right] = [place(start), place(end)];
    const value = Number(price);
    const top = y(Math.max(0, value));
    const height = Math.max(1, y(Math.min(0, value)) - top);
    return right <= left ? null : (
      <rect
        key={start}
        class={`plot-price step-${stepOf(value)}`}
        x={left.toFixed(1)}
        width={(right - left).toFixed(1)}
        y={top.toFixed(1)}
        height={height.toFixed(1)}
      />
    );
  };
  return (
    <PlotFrame
      {...{ x, width, at, onPoint }}
      height={HEIGHT}
      top={0}
      bottom={HEIGHT}
      label={texts.describe(texts.spotPrice, oreOf(Math.min(...values)), oreOf(Math.max(...values)))}
    >
      {slots.map(bar)}
      <ValueAxis
        scale={y}
        left={MARGIN.left}
        right={width - MARGIN.right}
        ticks={TICKS}
        format={(value) => ore(value * ORE)}
      />
    </PlotFrame>
  );
}

/** A device does not say which link it is of, unless its vendor has only one. */
function NoArea({ device }: { readonly device: Device }) {
  const { data } = useRead('GET /links');
  const [link, ...others] = data?.filter(({ vendor }) => vendor === device.vendor) ?? [];
  return (
    <div class="row">
      <p class="small">{texts.noArea}</p>
      {link !== undefined && others.length === 0 ? (
        <AreaOfLink link={link} label={words.links.area} />
      ) : (
        <Link href={hrefOf({ page: 'links' })}>{words.links.toLinks}</Link>
      )}
    </div>
  );
}
