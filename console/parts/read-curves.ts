/** Shows values of the curves at the pointer, or with a slider and the arrow keys. */
export function readCurves(): void {
  const reader = document.querySelector<HTMLElement>('.reader');
  const slider = reader?.querySelector('input') ?? null;
  const output = reader?.querySelector('output') ?? null;
  if (reader === null || slider === null || output === null) return;
  const { from = '0', minutes = '15', se1 = '', se2 = '', se3 = '', se4 = '' } = reader.dataset;
  const first = Number(from);
  const length = Number(minutes) * 60_000;
  const series = [se1, se2, se3, se4].map((values) => values.split(' '));
  const { lang } = document.documentElement;
  const locale = lang === 'sv' ? 'sv-SE' : 'en-GB';
  const zone = { timeZone: 'Europe/Stockholm', hourCycle: 'h23' } as const;
  const time = new Intl.DateTimeFormat(locale, {
    ...zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const curves = [...document.querySelectorAll<HTMLElement>('#curves .curve')];

  const show = (slot: number): void => {
    const at = first + slot * length;
    const prices = series.flatMap((values, index) => {
      const value = values[slot];
      return value === undefined || value === ''
        ? []
        : [{ area: `SE${index + 1}`, text: number.format(Number(value)), series: index + 1 }];
    });
    const moment = time.format(at);
    slider.value = String(slot);
    slider.setAttribute(
      'aria-valuetext',
      `${moment}: ${prices.map(({ area, text }) => `${area} ${text}`).join(', ')} öre/kWh`,
    );
    const parts = prices.map(({ area, text, series: colour }) => {
      const part = document.createElement('span');
      const name = document.createElement('strong');
      name.className = `series-${colour}`;
      name.textContent = area;
      part.append(name, ` ${text}`);
      return part;
    });
    const head = document.createElement('span');
    head.textContent = moment;
    const unit = document.createElement('span');
    unit.className = 'soft';
    unit.textContent = 'öre/kWh';
    output.replaceChildren(head, ...parts, unit);
    for (const curve of curves) mark(curve, at);
  };

  slider.addEventListener('input', () => show(Number(slider.value)));
  for (const curve of curves) {
    const read = (event: PointerEvent): void => {
      const at = timeAt(curve, event.clientX);
      if (at === undefined) return;
      show(Math.min(Math.max(0, Math.floor((at - first) / length)), Number(slider.max)));
    };
    curve.addEventListener('pointermove', read);
    curve.addEventListener('pointerdown', read);
  }
  reader.hidden = false;
  const now = Math.floor((Date.now() - first) / length);
  show(Math.min(Math.max(0, now), Number(slider.max)));
}

/** The time under the pointer; undefined beside the curves. */
function timeAt(curve: HTMLElement, clientX: number): number | undefined {
  const svg = curve.querySelector('svg');
  if (svg === null) return undefined;
  const box = svg.getBoundingClientRect();
  const { left, right, start, end } = sidesOf(curve);
  const x = ((clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
  const share = (x - left) / (right - left);
  return share < 0 || share >= 1 ? undefined : start + share * (end - start);
}

function mark(curve: HTMLElement, at: number): void {
  const svg = curve.querySelector('svg');
  if (svg === null) return;
  const { left, right, start, end } = sidesOf(curve);
  let line = svg.querySelector<SVGLineElement>('.cursor');
  if (line === null) {
    line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    line.classList.add('cursor');
    line.setAttribute('y1', '42');
    line.setAttribute('y2', String(svg.viewBox.baseVal.height - 28));
    svg.append(line);
  }
  const x = String(left + ((at - start) / (end - start)) * (right - left));
  line.setAttribute('x1', x);
  line.setAttribute('x2', x);
  line.toggleAttribute('hidden', at < start || at >= end);
}

function sidesOf({ dataset }: HTMLElement) {
  return {
    left: Number(dataset.left),
    right: Number(dataset.right),
    start: Number(dataset.from),
    end: Number(dataset.until),
  };
}
