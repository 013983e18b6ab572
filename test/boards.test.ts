import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { ERRORS } from '../src/core/errors.ts';
import { createMetrics } from '../src/core/metrics.ts';

/** Metrics that no panel shows, and why. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  process_cpu_user_seconds_total: 'part of process_cpu_seconds_total',
  process_cpu_system_seconds_total: 'part of process_cpu_seconds_total',
  process_virtual_memory_bytes: 'says little of what is used',
  process_heap_bytes: 'says little of what is used',
  process_max_fds: 'a setting of the machine; the number of open files is not measured',
  nodejs_eventloop_lag_seconds: 'one sample; the percentiles are shown',
  nodejs_eventloop_lag_min_seconds: 'the percentiles are shown',
  nodejs_eventloop_lag_max_seconds: 'the percentiles are shown',
  nodejs_eventloop_lag_mean_seconds: 'the percentiles are shown',
  nodejs_eventloop_lag_stddev_seconds: 'the percentiles are shown',
  nodejs_eventloop_lag_p90_seconds: 'p50 and p99 are shown',
  nodejs_heap_size_total_bytes: 'what is used of it is shown',
  nodejs_heap_space_size_total_bytes: 'for somebody who looks for a leak',
  nodejs_heap_space_size_used_bytes: 'for somebody who looks for a leak',
  nodejs_heap_space_size_available_bytes: 'for somebody who looks for a leak',
  nodejs_version_info: 'it is set by the lock file',
};
/** What Prometheus makes of each scrape and each alert itself. */
const OF_PROMETHEUS: ReadonlyMap<string, readonly string[]> = new Map([
  ['up', []],
  ['ALERTS', ['alertstate', 'alertname']],
]);
/** Labels that Prometheus gives each series. */
const OF_EACH = ['job', 'instance'];

/** Every metric with its labels, those of watchers too. */
function allMetrics(): Map<string, readonly string[]> {
  const metrics = createMetrics();
  for (const [name, watch] of Object.entries(metrics))
    if (name.startsWith('watch'))
      (watch as (...given: unknown[]) => void)(
        () => [],
        () => [],
      );
  return new Map(
    metrics.registry.getMetricsAsArray().map((metric) => {
      const {
        name,
        type,
        labelNames = [],
      } = metric as unknown as {
        name: string;
        type: string;
        labelNames?: string[];
      };
      return [name, type === 'histogram' ? [...labelNames, 'le'] : labelNames];
    }),
  );
}

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
  readonly outcomes: readonly string[];
}

/** The series that a PromQL expression reads, and the labels that it groups by; throws where it is not PromQL. */
function readsOf(text: string): { readonly selectors: readonly Selector[]; readonly groups: string[] } {
  const expression = text.replaceAll('$__rate_interval', '5m');
  const at = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  const selectors: Selector[] = [];
  const groups: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, node }) {
      assert.ok(!type.isError, `not PromQL at ${from}: ${expression}`);
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
        const pairs = matchers.map((matcher) => ({
          label: at(matcher.getChild('LabelName') ?? matcher),
          value: at(matcher.getChild('StringLiteral') ?? matcher).slice(1, -1),
        }));
        selectors.push({
          metric: name === null ? '' : at(name),
          labels: pairs.map(({ label }) => label),
          outcomes: pairs.flatMap(({ label, value }) => (label === 'outcome' ? value.split('|') : [])),
        });
      }
      if (type.name === 'GroupingLabels')
        groups.push(...node.getChildren('LabelName').map((label) => at(label)));
    },
  });
  assert.ok(selectors.length > 0, `reads nothing: ${expression}`);
  return { selectors, groups };
}

const known = allMetrics();
const board = JSON.parse(readFileSync('deploy/grafana/dashboards/elnav.json', 'utf8'));
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const panels: readonly Panel[] = board.panels;
const shown = panels.flatMap(({ targets = [] }) => targets);
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
const groups: readonly { readonly rules: readonly Rule[] }[] = parse(
  readFileSync('deploy/prometheus/elnav.rules.yaml', 'utf8'),
).groups;
const rules = groups.flatMap((group) => group.rules);

/** The metric of a series: histograms have three names. */
function metricOf(series: string): string {
  if (known.has(series) || OF_PROMETHEUS.has(series)) return series;
  return series.replace(/_(?:bucket|count|sum)$/, '');
}

function check(expression: string): void {
  const { selectors, groups: grouped } = readsOf(expression);
  const labels = new Set(OF_EACH);
  for (const { metric, labels: used, outcomes } of selectors) {
    const own = known.get(metricOf(metric)) ?? OF_PROMETHEUS.get(metric);
    assert.ok(own !== undefined, `there is no metric ${metric}: ${expression}`);
    for (const label of own) labels.add(label);
    for (const label of used)
      assert.ok(own.includes(label) || OF_EACH.includes(label), `${metric} has no label ${label}`);
    for (const outcome of outcomes)
      if (outcome.includes('.')) assert.ok(Object.hasOwn(ERRORS, outcome), `no error is called ${outcome}`);
  }
  for (const label of grouped) assert.ok(labels.has(label), `grouped by ${label}: ${expression}`);
}

it('the look at expressions finds what they read, and what is wrong with them', () => {
  assert.deepEqual(readsOf('sum by (a) (rate(x_count{b="c",outcome=~"d.e|f"}[$__rate_interval])) / y'), {
    selectors: [
      { metric: 'x_count', labels: ['b', 'outcome'], outcomes: ['d.e', 'f'] },
      { metric: 'y', labels: [], outcomes: [] },
    ],
    groups: ['a'],
  });
  for (const wrong of [
    'sum by (vendor (up)',
    'elnav_linkz',
    'elnav_links{status="active"}',
    'sum by (state) (up)',
    'rate(elnav_vendor_call_seconds_count{outcome="vendor.gone"}[5m])',
  ])
    assert.throws(() => check(wrong), wrong);
  assert.ok(known.size > 30, `only ${known.size} metrics`);
});

describe('the board', () => {
  it('the board reads metrics and labels that exist', () => {
    assert.ok(shown.length > 40, `only ${shown.length} expressions`);
    for (const { expr } of shown) check(expr);
    for (const { expr } of board.annotations.list) check(expr);
  });

  it('the board shows every metric, or it is decided that it does not', () => {
    const read = new Set(
      shown.flatMap(({ expr }) => readsOf(expr).selectors.map(({ metric }) => metricOf(metric))),
    );
    assert.deepEqual(
      [...known.keys()].filter((name) => !read.has(name)).sort(),
      Object.keys(NOT_SHOWN).sort(),
    );
  });

  it('the board has panels that say what they show, and lie beside each other', () => {
    const cells = new Set<string>();
    for (const { title, type, description = '', gridPos } of panels) {
      assert.ok(type === 'row' || description.length > 10, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(x < 24 && !cells.has(`${x} ${y}`), title);
          cells.add(`${x} ${y}`);
        }
    }
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  });
});

describe('the alerts', () => {
  it('the alerts read metrics and labels that exist', () => {
    assert.ok(rules.length > 20, `only ${rules.length} rules`);
    for (const { expr } of rules) check(expr);
  });

  it('the alerts say what is wrong and what to do, and each has its section in the guide', () => {
    for (const { alert, labels, annotations } of rules) {
      assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'what_to_do', 'runbook'], alert);
      assert.ok(
        Object.values(annotations).every((text) => text.length > 10),
        alert,
      );
      assert.ok(['critical', 'warning'].includes(labels.severity), alert);
      assert.equal(annotations.runbook, `docs/guides/alerts.md#${alert.toLowerCase()}`);
    }
    const guide = readFileSync('docs/guides/alerts.md', 'utf8');
    assert.deepEqual(
      [...guide.matchAll(/^### (Elnav\w+)$/gm)].map(([, name]) => name),
      rules.map(({ alert }) => alert),
    );
  });

  it('the alerts are tested, each: the tests themselves are run by promtool, in .ci/run', () => {
    const tests = readFileSync('deploy/prometheus/elnav.rules.test.yaml', 'utf8');
    for (const { alert } of rules) assert.ok(tests.includes(`alertname="${alert}"`), alert);
    const command = 'promtool test rules deploy/prometheus/elnav.rules.test.yaml';
    assert.ok(readFileSync('.ci/run', 'utf8').includes(command), '.ci/run does not run them');
  });

  it('the alerts are read with the addresses and the port that compose has', () => {
    const { scrape_configs: jobs, rule_files: files } = parse(
      readFileSync('deploy/prometheus/prometheus.yaml', 'utf8'),
    );
    assert.deepEqual(files, ['elnav.rules.yaml']);
    assert.deepEqual(jobs[0].static_configs[0].targets, ['elnav-1:8080', 'elnav-2:8080']);
    assert.deepEqual(
      Object.keys(parse(readFileSync('compose.yaml', 'utf8')).services).filter((name) =>
        /^elnav-/.test(name),
      ),
      ['elnav-1', 'elnav-2'],
    );
  });
});
