import { type BrandColors, brandColors, colorsIn } from './parts/brand-colors.ts';

/* Copies a new key, and previews a brand while it is edited. The page works without it. */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  const status = button.parentElement?.querySelector('[data-copy-status]');
  // Browsers offer the clipboard only on https and on localhost.
  if (source === null || navigator.clipboard === undefined) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '');
      if (status) status.textContent = button.dataset.copied ?? '';
    } catch {
      // Not permitted: select the text, so that the user can copy it.
      getSelection()?.selectAllChildren(source);
    }
  });
}

const form = document.querySelector<HTMLFormElement>('form[data-brand]');
if (form !== null) showBrand(form);

function showBrand(brand: HTMLFormElement): void {
  const name = brand.querySelector<HTMLInputElement>('input[name="name"]');
  const color = brand.querySelector<HTMLInputElement>('input[name="color"]');
  const plain = brand.querySelector<HTMLInputElement>('input[name="plain"]');
  if (name === null || color === null || plain === null) return;
  const names = [...brand.querySelectorAll('.preview-name')];
  const before = names[0]?.textContent ?? '';
  const kinds = ['light', 'dark'].map((kind) => {
    const figure = brand.querySelector(`.preview-${kind}`);
    const fills = [...(figure?.querySelectorAll('.preview-fill') ?? [])];
    const texts = [...(figure?.querySelectorAll('.preview-text') ?? [])];
    return { fills, texts };
  });
  const own = colorsIn(brand.dataset.own ?? '');

  const paint = (colors: BrandColors | undefined) => {
    if (colors === undefined) return;
    for (const [index, { fills, texts }] of kinds.entries()) {
      const { fill, text } = index === 0 ? colors.light : colors.dark;
      for (const shape of fills) shape.setAttribute('fill', fill);
      for (const shape of texts) shape.setAttribute('fill', text);
    }
  };
  const repaint = async () => {
    if (plain.checked) return paint(own);
    const chosen = color.value;
    const colors = await brandColors(chosen);
    if (color.value === chosen && !plain.checked) paint(colors);
  };
  const soon = () => {
    repaint().catch(() => {});
  };
  name.addEventListener('input', () => {
    for (const element of names) element.textContent = name.value.trim() === '' ? before : name.value;
  });
  color.addEventListener('input', () => {
    plain.checked = false;
    soon();
  });
  plain.addEventListener('change', soon);
}
