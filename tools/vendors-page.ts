import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { BudgetRule } from '../src/adapter/budget.ts';
import { describeVendors, type VendorDescription } from '../src/adapter/describe.ts';
import { scopesOf } from '../src/adapter/tokens.ts';
import { needsOf } from '../src/bin/vendor-needs.ts';
import { turnedClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';
import { settingsOfVendors } from '../src/core/settings/vendors.ts';
import { conforms } from '../src/proof/conformance/index.ts';
import { variantsOf } from '../test/kit/vendor-variants.ts';
import { table } from './table.ts';

const INTRODUCTION = `Capabilities are derived from the functions that exist; a single device may lack some. *Proven* means run against the vendor's
simulator when this page was made: every command must change what is read next, every fault must be distinguished, and every figure must
have the right order of magnitude. *Checked* lists the recorded responses that its tests read; they show the format of the vendor's responses, not that a device obeyed.`;

/** The page of all vendors, from their declarations, their tests and their recorded responses. */
export async function vendorsPage(vendors: readonly Adapter[]): Promise<string> {
  const parts: string[] = [];
  // One after the other: what waits for real sockets must not wait for the work of all.
  for (const adapter of vendors.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)))
    parts.push(await partOf(adapter));
  return `# Vendors\n\n${INTRODUCTION}\n\n${parts.join('\n\n')}\n`;
}

/** Which set-points elnav keeps, of the vendors that have any. */
function setPointsOf(described: VendorDescription | undefined): string {
  const kept = Object.entries(described?.set_points ?? {}).filter(([, types]) => types.length > 0);
  const named = kept.map(([type, types]) => `${type} (${types.map((one) => `\`${one}\``).join(', ')})`);
  return named.length === 0 ? '' : `Set-points that elnav renews and releases: ${named.join('; ')}.`;
}

/** What users of its devices may have to do, by the types of devices. */
function interventionsOf({ kinds }: Adapter): string {
  const named = Object.entries(kinds).flatMap(([type, { interventions = {} }]) => {
    const codes = Object.keys(interventions).map((code) => `\`${code}\``);
    return codes.length === 0 ? [] : [`${type} (${codes.join(', ')})`];
  });
  return named.length === 0 ? '' : `Interventions of its own: ${named.join('; ')}.`;
}

async function partOf(adapter: Adapter): Promise<string> {
  const [described] = describeVendors([adapter]);
  const { slug, name } = adapter;
  const rows = Object.entries(described?.capabilities ?? {}).map(([type, capabilities]) => [
    type,
    capabilities.map((capability) => `\`${capability}\``).join(', ') || 'none: only its state is read',
    described?.timed_commands[type]?.map((command) => `\`${command}\``).join(', ') || 'none',
  ]);
  const settings = settingsOfVendors(needsOf([adapter])).map(({ name: setting, description }) => [
    `\`${setting}\``,
    `${description}.`,
  ]);
  const sections = [
    `## ${name} (\`${slug}\`)`,
    `[Protocol, choices and gaps](../src/vendors/${slug}/README.md)`,
    table(['Device type', 'Capabilities', 'Take `for_seconds`'], rows),
    setPointsOf(described),
    interventionsOf(adapter),
    linkingOf(adapter),
    changesOf(adapter),
    budgetsOf(adapter.budgets ?? []),
    settings.length === 0 ? '' : `Settings:\n\n${table(['Name', 'Meaning'], settings)}`,
    await provenOf(adapter),
    checkedOf(slug),
    await simulatorOf(adapter),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function linkingOf(adapter: Adapter): string {
  const { slug, oauth, dialIn, credentials } = adapter;
  if (oauth !== undefined) {
    const scopes = scopesOf(adapter).map((scope) => `\`${scope}\``);
    const asked = scopes.length === 0 ? 'No scopes' : `Scopes: ${scopes.join(' ')}`;
    return `**Linked** by OAuth 2${oauth.pkce ? ' with PKCE' : ''}, starting at \`GET /oauth/${slug}/authorize\`. ${asked}.`;
  }
  const dials = dialIn === undefined ? '' : ' Its devices then dial in to Connect.';
  return `**Linked** with credentials.${dials}\n\n\`\`\`json\n${JSON.stringify(credentials, null, 2)}\n\`\`\``;
}

function changesOf({ webhook, stream, dialIn, pollSeconds, pace }: Adapter): string {
  const ways = [
    ...(webhook === undefined
      ? []
      : [
          webhook.trust === 'signed'
            ? 'It posts changes, signed.'
            : 'It posts unsigned hints; elnav then reads the device.',
        ]),
    ...(stream === undefined ? [] : ['It reports changes over a stream.']),
    ...(dialIn === undefined ? [] : ['Its devices report changes themselves.']),
    ...(pollSeconds === 0
      ? []
      : [`A state younger than ${pollSeconds} s is returned without asking the vendor.`]),
    ...(pace === undefined
      ? []
      : [
          `In the background a device is polled every ${pace.active} s while active, ${pace.idle} s while idle, ${pace.asleep} s while asleep.`,
        ]),
  ];
  return `**Changes**: ${ways.length === 0 ? 'only by reading a device.' : ways.join(' ')}`;
}

const UNIT_WORDS = { calls: 'calls', micro_usd: 'millionths of a US dollar', errors: 'errors' } as const;

function budgetsOf(budgets: readonly BudgetRule[]): string {
  if (budgets.length === 0) return '';
  const rows = budgets.map(({ name, of, amount, seconds, unit, reserve, costs, source }) => [
    `\`${name}\``,
    of,
    `${amount} ${UNIT_WORDS[unit]} in ${seconds} s`,
    Object.entries(costs)
      .map(([use, cost]) => (cost === 1 ? use : `${use} ${cost}`))
      .join(', '),
    `${Math.round(reserve * 100)} %`,
    source,
  ]);
  return `Rate limits that elnav keeps:\n\n${table(['Name', 'Per', 'Limit', 'Used by', 'Reserved from polling', 'Source'], rows)}`;
}

const folderOf = (slug: string) => join('src/vendors', slug);

function testsOf(slug: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(folderOf(slug))
    .filter((file) => file.endsWith('.test.ts') || file.startsWith('test-'))
    .map((file) => ({ file, text: readFileSync(join(folderOf(slug), file), 'utf8') }));
}

/** Runs the conformance tests: a vendor is proven when no check fails. */
async function provenOf(adapter: Adapter): Promise<string> {
  const faults: string[] = [];
  for (const { open } of await variantsOf(adapter)) {
    const failing = async (): Promise<string[]> => {
      const { simulator, close } = await open();
      const findings = await conforms(adapter, simulator).finally(close);
      return findings.flatMap(({ check, fault }) => (fault === null ? [] : [check]));
    };
    const first = await failing();
    // Simulators on sockets have times of the real clock: on a busy machine a check may run out of one, but not twice.
    const again = first.length === 0 ? [] : await failing();
    faults.push(...first.filter((check) => again.includes(check)));
  }
  if (faults.length === 0)
    return '**Proven against the simulator**: every capability above, by [the conformance tests](../test/vendors.test.ts).';
  return `**Not proven**: ${new Set(faults).size} of [the conformance tests](../test/vendors.test.ts) fail.`;
}

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';

function checkedOf(slug: string): string {
  const folder = folderOf(slug);
  const file = join(folder, 'recorded.json');
  const tests = testsOf(slug);
  const recorded = existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object) : [];
  const read = recorded.filter((name) =>
    tests.some(({ text }) => new RegExp(`['"\`]${RegExp.escape(name)}['"\`]`).test(text)),
  );
  if (read.length === 0) return '**Checked against recorded responses**: none.';
  const origin = readFileSync(join(folder, 'README.md'), 'utf8').split('## Recorded responses').at(-1) ?? '';
  // The last date is when they were checked; others are of their sources.
  const date = origin.match(new RegExp(`\\b(?:${MONTHS}) 20\\d\\d\\b`, 'g'))?.at(-1);
  const names = read.map((name) => `\`${name}\``).join(', ');
  return `**Checked against recorded responses**: ${names}; [their origin](../${folder}/README.md#recorded-responses)${date === undefined ? '' : `, ${date}`}.`;
}

async function simulatorOf({ slug, oauth, simulator }: Adapter): Promise<string> {
  if (simulator === undefined) return '';
  const { createSimulator } = await simulator();
  const { user } = createSimulator({
    clock: turnedClock(),
    random: systemRandom,
    baseUrl: () => 'http://127.0.0.1:PORT',
  });
  const how =
    oauth === undefined
      ? `link with \`${JSON.stringify(user.credentials)}\``
      : `sign in as \`${user.name}\` with the password \`${user.password}\``;
  return `**Simulator**: \`npm run simulate -- ${slug}\`, or built in with \`ELNAV_SIMULATE=${slug}\`; ${how}.`;
}
