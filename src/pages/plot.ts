import { type Html, trusted } from './html.ts';

type PlotModule = typeof import('@observablehq/plot');
type Options = import('@observablehq/plot').PlotOptions;

/** The part of the DOM used here; browser types are not available on a server. */
interface Element {
  readonly outerHTML: string;
  querySelectorAll(selector: string): Iterable<Element>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

interface Drawing {
  readonly plot: PlotModule;
  readonly document: Options['document'];
}

/** Loaded with the first plot, as it takes 40 MB. */
let drawing: Promise<Drawing> | undefined;

async function load(): Promise<Drawing> {
  const [plot, { parseHTML }] = await Promise.all([import('@observablehq/plot'), import('linkedom')]);
  return { plot, document: parseHTML('<!doctype html><html><body></body></html>').document };
}

/**
 * Draws a plot as SVG that needs no script. Styles common to all plots, which Plot would put into a style sheet of its own,
 * are in `base.css`, so that the page needs no inline style. `label` describes the plot in a sentence.
 */
export async function drawPlot(options: (plot: PlotModule) => Options, label: string): Promise<Html> {
  drawing ??= load();
  const { plot, document } = await drawing;
  const svg = plot.plot({ document, ...options(plot) }) as unknown as Element;
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const styled of svg.querySelectorAll('[style]')) styled.removeAttribute('style');
  // Plot labels its groups, which have no role that allows a label.
  for (const named of svg.querySelectorAll('[aria-label]')) named.removeAttribute('aria-label');
  svg.removeAttribute('class');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  return trusted(rounded(svg.outerHTML));
}

/** Rounds coordinates to a tenth of a pixel, which halves the size. Texts are unchanged. */
function rounded(markup: string): string {
  return markup.replaceAll(/ (?:d|transform|[xy][12]?|cx|cy|r|width|height)="[^"]*"/g, (attribute) =>
    attribute.replaceAll(/(\d+\.\d)\d+/g, '$1'),
  );
}
