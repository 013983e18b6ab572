import { lightened, OWN_COLORS, readableOn } from '../../../pages/brand-color.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
import { faultText, mark } from '../pages/form-parts.ts';
import { faultOf, formFault, section, textField } from './parts.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS, type AccountWords } from './words.ts';

const DARK_RAISED = '#1a211d';

/** The name and the colour of the pages on which the account's users link their devices. */
export function brandSection({ language, brand, fault, written }: AccountView): Html {
  const words = ACCOUNT_WORDS[language];
  const shown = written?.brand ?? brand;
  const color = shown?.color ?? null;
  const colorFault = faultOf(fault, 'brand', 'color');
  const body = html`<form class="card" method="post" action="/account/brand" novalidate aria-labelledby="brand" data-brand data-own="${Object.values(OWN_COLORS).join(' ')}">
${formFault(fault, 'brand')}
${textField({
  id: 'brand-name',
  name: 'name',
  label: words.brandName,
  hint: words.brandNameHint,
  fault: faultOf(fault, 'brand', 'name'),
  value: shown?.name ?? '',
  autocomplete: 'organization',
  longest: 60,
})}
<div class="field"><label for="brand-color">${words.brandColor}</label>
${faultText('brand-color', colorFault)}
<input id="brand-color" name="color" type="color" value="${isColor(color) ? color : OWN_COLORS.light}" ${colorFault !== undefined && html`aria-describedby="brand-color-fault"`} ${mark({ fault: colorFault })}></div>
<label class="check"><input type="checkbox" name="plain" value="1" ${flag('checked', color === null)}><span>${words.brandPlain}</span></label>
${(['privacy_url', 'terms_url'] as const).map((field) =>
  textField({
    id: `brand-${field}`,
    name: field,
    label: field === 'privacy_url' ? words.brandPrivacy : words.brandTerms,
    hint: words.brandAddressHint,
    optional: words.optional,
    fault: faultOf(fault, 'brand', field),
    type: 'url',
    value: shown?.[field] ?? '',
    longest: 500,
  }),
)}
${preview(brand, words)}
<div class="row"><button class="button button-primary">${words.save}</button>
${brand === null ? null : html`<button class="button" name="remove" value="1">${words.remove}</button>`}</div>
</form>`;
  return section({ id: 'brand', title: words.brand, text: words.brandText, body });
}

const isColor = (text: string | null): text is string => text !== null && /^#[0-9a-f]{6}$/.test(text);

/** The head and a button of such a page, as they are saved; drawn, because a style sheet would colour this page too. */
function preview(brand: AccountView['brand'], words: AccountWords): Html {
  const name = brand?.name ?? words.previewName;
  const color = brand?.color ?? null;
  const dark = color === null ? OWN_COLORS.dark : lightened(color, DARK_RAISED);
  const sides = [
    {
      kind: 'light',
      label: words.previewLight,
      fill: color ?? OWN_COLORS.light,
      text: color === null ? OWN_COLORS.onLight : readableOn(color),
    },
    {
      kind: 'dark',
      label: words.previewDark,
      fill: dark,
      text: color === null ? OWN_COLORS.onDark : readableOn(dark),
    },
  ];
  return html`<div class="stack-small" role="group" aria-label="${words.preview}"><p class="small soft">${words.preview}</p>
<div class="previews">${sides.map(
    ({ kind, label, fill, text }) => html`<figure class="${`preview preview-${kind}`}">
<p class="preview-head"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><rect class="preview-fill" width="16" height="16" rx="4" fill="${fill}"/></svg><strong class="preview-name">${name}</strong></p>
<svg class="preview-button" width="124" height="44" viewBox="0 0 124 44" aria-hidden="true"><rect class="preview-fill" width="124" height="44" rx="8" fill="${fill}"/><text class="preview-text" x="62" y="27" text-anchor="middle" fill="${text}">${words.previewButton}</text></svg>
<figcaption class="small">${label}</figcaption>
</figure>`,
  )}</div></div>`;
}
