/** What a brand's colour becomes: of a shape, and of the text on it. */
export interface SideColors {
  readonly fill: string;
  readonly text: string;
}

/** In light mode and in dark mode. */
interface BrandColors {
  readonly light: SideColors;
  readonly dark: SideColors;
}

/**
 * The colours of four, in the order of a brand's style sheet; undefined where they are not four.
 */
export function colorsIn(text: string): BrandColors | undefined {
  const [light, onLight, dark, onDark] = text.match(/#[0-9a-f]{6}/g) ?? [];
  if (light === undefined || onLight === undefined || dark === undefined || onDark === undefined)
    return undefined;
  return { light: { fill: light, text: onLight }, dark: { fill: dark, text: onDark } };
}

/** The colours of a brand such as #0b5d48: the service computes which are readable. */
export async function brandColors(color: string, signal?: AbortSignal): Promise<BrandColors | undefined> {
  const sheet = await fetch(
    `/assets/brand/${color.slice(1)}.css`,
    signal === undefined ? undefined : { signal },
  );
  return colorsIn(await sheet.text());
}
