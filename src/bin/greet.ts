import type { Running } from './start.ts';

/** What a start prints when it is ready. What is made on the first start can be pasted as it stands. */
export function greeting({
  connectUrl,
  gridUrl,
  dataDir,
  engine,
  simulated,
  made,
  isDeveloperIdle,
}: Running): string {
  const lines = ['elnav is ready.', ''];
  if (connectUrl !== undefined) lines.push(`  Connect   ${connectUrl}   docs ${connectUrl}/docs`);
  if (gridUrl !== undefined) lines.push(`  Grid      ${gridUrl}   docs ${gridUrl}/docs`);
  if (connectUrl !== undefined && gridUrl !== undefined) {
    const how = engine === 'sqlite' ? '   `npm run console` in another terminal signs you in' : '';
    lines.push(`  Console   ${connectUrl}/console${how}`);
  }
  lines.push(`  Data      ${engine === 'sqlite' ? dataDir : 'PostgreSQL (DATABASE_URL)'}`);
  if (simulated.length > 0) {
    const are = simulated.length === 1 ? 'is' : 'are';
    lines.push('', `${listed(simulated)} ${are} simulated. Set ELNAV_SIMULATE=none to turn this off.`);
  }
  if (made.adminToken !== undefined) {
    lines.push(
      '',
      `First start. The admin token (header x-admin-token on Grid), also kept in the data directory as admin-token:`,
      '',
      `  ${made.adminToken}`,
    );
  }
  if (made.apiKey !== undefined) {
    lines.push(
      '',
      'A developer key, shown only this once. For the examples in the README, paste this line into another terminal:',
      '',
      `  ${exportLine({ connectUrl, gridUrl, apiKey: made.apiKey })}`,
    );
  } else if (isDeveloperIdle) {
    lines.push('', 'No API key at hand? In another terminal, `npm run key` makes one.');
  }
  return `${lines.join('\n')}\n`;
}

/** A line for a shell that sets what the examples use. */
export function exportLine({
  connectUrl,
  gridUrl,
  apiKey,
}: {
  readonly connectUrl: string | undefined;
  readonly gridUrl: string | undefined;
  readonly apiKey: string;
}): string {
  const values = [
    ['CONNECT', connectUrl],
    ['GRID', gridUrl],
    ['KEY', apiKey],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return `export ${values.join(' ')}`;
}

const listed = (names: readonly string[]): string => new Intl.ListFormat('en').format(names);
