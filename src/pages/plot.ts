import { type Html, trusted } from './html.ts';

type PlotModule = typeof import('@observablehq/plot');
type Options = import('@observablehq/plot').PlotOptions;

/** As much of the document model as is touched here; the types of browsers are not those of a server. */
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

/** Loaded with the first plot: 40 MB that a process whose pages nobody looks at does without. */
let drawing: Promise<Drawing> | undefined;

async function load(): Promise<Drawing> {
  const [plot, { parseHTML }] = await Promise.all([import('@observablehq/plot'), import('linkedom')]);
  return { plot, document: parseHTML('<!doctype html><html><body></body></html>').document };
}

/**
 * Draws a plot as SVG that needs no script. What holds for all plots, which Plot would put into a style sheet of its own,
 * stands in `base.css`, so that the page needs no inline style. `label` says in a sentence what is to be seen.
 */
export async function drawPlot(options: (plot: PlotModule) => Options, label: string): Promise<Html> {
  drawing ??= load();
  const { plot, document } = await drawing;
  const svg = plot.plot({ document, ...options(plot) }) as unknown as Element;
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const styled of svg.querySelectorAll('[style]')) styled.removeAttribute('style');
  // Plot names its groups, which have no role to carry a name.
  for (const named of svg.querySelectorAll('[aria-label]')) named.removeAttribute('aria-label');
  svg.removeAttribute('class');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  return trusted(rounded(svg.outerHTML));
}

/** A tenth of a pixel is exact enough to be seen, and half as long. Texts are left alone. */
function rounded(markup: string): string {
  return markup.replaceAll(/ (?:d|transform|[xy][12]?|cx|cy|r|width|height)="[^"]*"/g, (attribute) =>
    attribute.replaceAll(/(\d+\.\d)\d+/g, '$1'),
  );
}
