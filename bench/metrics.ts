interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metrics {
  /** The sum of the samples of this name that have these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/gm;
const LABEL = /(\w+)="([^"]*)"/g;

/** What Connect reports on `/metrics` (Prometheus text format). */
export async function metricsOf(connect: string): Promise<Metrics> {
  const text = await (await fetch(`${connect}/metrics`)).text();
  const samples = [...text.matchAll(SAMPLE)].map(
    ([, name = '', labels = '', value]): Sample => ({
      name,
      labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label = '', of = '']) => [label, of])),
      value: Number(value),
    }),
  );
  return {
    sum: (name, labels = {}) =>
      samples
        .filter(
          (sample) =>
            sample.name === name &&
            Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  };
}

/** What was added between two looks. */
export const between = (before: Metrics, after: Metrics): Metrics => ({
  sum: (name, labels) => after.sum(name, labels) - before.sum(name, labels),
});
