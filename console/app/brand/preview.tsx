import { useId, useRef } from 'preact/hooks';
import { brandColors, colorsIn, type SideColors } from '../../parts/brand-colors.ts';
import { useQuery } from '../api/queries.ts';
import { foreign } from '../format.ts';
import { words } from '../words/index.ts';

const texts = words.brand;
const SIDES = ['light', 'dark'] as const;

/** The colours of pages without a brand, which the page says. */
export const OWN = colorsIn(document.getElementById('console')?.dataset.ownColors ?? '');

interface PreviewProps {
  readonly name: string;
  /** As in #0b5d48; undefined: that of elnav. */
  readonly color: string | undefined;
}

/** The head and a button of a link page; drawn, because a style sheet would colour this page too. */
export function Preview({ name, color }: PreviewProps) {
  const label = useId();
  const { data } = useQuery({
    key: ['brand colors', color],
    load: async (signal) => ({ color, of: color === undefined ? OWN : await brandColors(color, signal) }),
    staleMs: Number.POSITIVE_INFINITY,
  });
  // Those of the color before stay until the next have come.
  const before = useRef(data);
  if (data !== undefined) before.current = data;
  const colors = before.current?.of;
  const shown = foreign(name) === '' ? texts.previewName : foreign(name);
  const sides = colors === undefined ? [] : SIDES.map((side) => ({ side, ...colors[side] }));
  return (
    <section class="stack-small" aria-labelledby={label}>
      <h2 id={label} class="heading-small">
        {texts.preview}
      </h2>
      <div class="previews">
        {sides.map(({ side, fill, text }) => (
          <figure key={side} class={`preview preview-${side}`}>
            <p class="preview-head">
              <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                <rect width="16" height="16" rx="4" fill={fill} />
              </svg>
              <strong class="preview-name">
                <bdi>{shown}</bdi>
              </strong>
            </p>
            <svg class="preview-button" width="124" height="44" viewBox="0 0 124 44" aria-hidden="true">
              <rect width="124" height="44" rx="8" fill={fill} />
              <text x="62" y="27" text-anchor="middle" fill={text}>
                {texts.previewButton}
              </text>
            </svg>
            <figcaption class="small">
              {texts[side]}
              {before.current?.color === undefined ? '' : `: ${said({ fill, text }, before.current.color)}`}
            </figcaption>
          </figure>
        ))}
      </div>
      <p class="hint">{texts.rule}</p>
    </section>
  );
}

/** What becomes of a colour, in words. */
function said({ fill, text }: SideColors, color: string): string {
  const shade = fill === color ? texts.asChosen : texts.lightened(fill);
  return `${shade}, ${texts.textOn[text] ?? text}`;
}
