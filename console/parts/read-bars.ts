/** Shows the price of a bar at the pointer, or of the bar that the slider and the arrow keys choose. */
export function readBars(): void {
  const reader = document.querySelector<HTMLElement>('.reader');
  const slider = reader?.querySelector('input') ?? null;
  const output = reader?.querySelector('output') ?? null;
  if (reader === null || slider === null || output === null) return;
  const { from = '0', minutes = '15', values = '', steps = '', names = '' } = reader.dataset;
  const first = Number(from);
  const length = Number(minutes) * 60_000;
  const prices = values.split(' ');
  const words = names.split('|');
  const locale = document.documentElement.lang === 'sv' ? 'sv-SE' : 'en-GB';
  const zone = { timeZone: 'Europe/Stockholm', hourCycle: 'h23' } as const;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const time = new Intl.DateTimeFormat(locale, { ...zone, ...clock });
  const dayTime = new Intl.DateTimeFormat(locale, { ...zone, weekday: 'short', ...clock });
  const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const charts = [...document.querySelectorAll<HTMLElement>('.day-bars')];

  const show = (slot: number, isPointed: boolean): void => {
    const at = first + slot * length;
    const value = prices[slot] ?? '';
    // A hyphen is no minus.
    const price = value === '' ? '–' : `${number.format(Number(value)).replace('-', '−')} öre/kWh`;
    const name = words[Number(steps[slot] ?? 0) - 1] ?? '';
    const span = `${dayTime.format(at)}–${time.format(at + length)}`;
    slider.value = String(slot);
    const said = `${span}: ${[price, name].filter((part) => part !== '').join(', ')}`;
    slider.setAttribute('aria-valuetext', said);
    output.textContent = said;
    for (const chart of charts)
      mark(chart, { at, length, value, lines: isPointed ? [span, price, name] : [] });
  };

  slider.addEventListener('input', () => show(Number(slider.value), true));
  slider.addEventListener('focus', () => show(Number(slider.value), true));
  slider.addEventListener('blur', () => show(Number(slider.value), false));
  for (const chart of charts) {
    const read = (event: PointerEvent): void => {
      const at = timeAt(chart, event.clientX);
      if (at === undefined) return;
      show(Math.min(Math.max(0, Math.floor((at - first) / length)), Number(slider.max)), true);
    };
    chart.addEventListener('pointermove', read);
    chart.addEventListener('pointerdown', read);
    chart.addEventListener('pointerleave', () => show(Number(slider.value), false));
  }
  reader.hidden = false;
  show(Number(slider.value), false);
}

/** The time under the pointer; undefined beside the bars. */
function timeAt(chart: HTMLElement, clientX: number): number | undefined {
  const box = chart.getBoundingClientRect();
  const share = (clientX - box.left) / box.width;
  const { start, end } = sidesOf(chart);
  return share < 0 || share >= 1 ? undefined : start + share * (end - start);
}

interface Marked {
  readonly at: number;
  readonly length: number;
  /** Öre; '' where there is no price. */
  readonly value: string;
  /** What the tip says; none hides it. */
  readonly lines: readonly string[];
}

/** Draws a frame around the bar of a time, with what it says above it. */
function mark(chart: HTMLElement, { at, length, value, lines }: Marked): void {
  const drawing = chart.querySelector<SVGSVGElement>('.bars-in');
  if (drawing === null) return;
  const { start, end, least, most } = sidesOf(chart);
  const isHere = at >= start && at < end && value !== '';
  const { width, height } = drawing.viewBox.baseVal;
  const heightOf = (ore: number): number => ((most - ore) / (most - least)) * height;
  const top = Math.min(heightOf(Number(value)), heightOf(0));
  const frame = frameIn(drawing);
  frame.toggleAttribute('hidden', !isHere);
  frame.setAttribute('x', String(((at - start) / (end - start)) * width));
  frame.setAttribute('width', String((length / (end - start)) * width));
  frame.setAttribute('y', String(top));
  frame.setAttribute('height', String(Math.max(1, Math.abs(heightOf(Number(value)) - heightOf(0)))));
  const tip = tipIn(chart);
  tip.hidden = !isHere || lines.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(
    ...lines.map((text, index) => {
      const line = document.createElement(index === 1 ? 'strong' : 'span');
      line.textContent = text;
      return line;
    }),
  );
  const box = chart.getBoundingClientRect();
  const middle = ((at + length / 2 - start) / (end - start)) * box.width;
  // Within the chart from side to side, and above the bar as far as there is room on the page.
  const left = Math.min(Math.max(0, middle - tip.offsetWidth / 2), box.width - tip.offsetWidth);
  const above = (top / height) * box.height - tip.offsetHeight - 8;
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(Math.max(-tip.offsetHeight, above))}px)`;
}

function frameIn(drawing: SVGSVGElement): SVGRectElement {
  const known = drawing.querySelector<SVGRectElement>('.bars-mark');
  if (known !== null) return known;
  const frame = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  frame.classList.add('bars-mark');
  drawing.append(frame);
  return frame;
}

function tipIn(chart: HTMLElement): HTMLElement {
  const known = chart.querySelector<HTMLElement>('.tip');
  if (known !== null) return known;
  const tip = document.createElement('div');
  tip.className = 'tip';
  // The slider says the same.
  tip.setAttribute('aria-hidden', 'true');
  chart.append(tip);
  return tip;
}

function sidesOf({ dataset }: HTMLElement) {
  return {
    start: Number(dataset.from),
    end: Number(dataset.until),
    least: Number(dataset.least),
    most: Number(dataset.most),
  };
}
