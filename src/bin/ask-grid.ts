import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../core/errors.ts';
import type { Settings } from '../core/settings/index.ts';
import { DEVELOPER } from './developer.ts';

const PATIENCE_MS = 10_000;

/** Asks the administration of the service that has a data directory; throws an `OperatorError` where it does not answer. */
type AskGrid = (method: 'GET' | 'POST', path: string) => Promise<unknown>;

interface Asked {
  /** What it is asked to do, as in "make a key". */
  readonly wanted: string;
  /** What else helps, as in "stop it and run npm run key again". */
  readonly again: string;
}

/** Throws an `OperatorError` where its port is not known. */
export function askGrid(settings: Settings, dataDir: string, { wanted, again }: Asked): AskGrid {
  const base = addressOf(settings, settings.gridPort);
  const running = `elnav is running on ${dataDir}`;
  const wayOut = `Set ELNAV_HOST and ELNAV_GRID_PORT as they are set for it, or ${again}.`;
  if (base === undefined) throw new OperatorError(`${running}, on a port that is not known here. ${wayOut}`);
  const token = settings.adminToken?.reveal() ?? readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  return async (method, path) => {
    let answer: Response;
    try {
      answer = await fetch(`${base}${path}`, {
        method,
        headers: { 'x-admin-token': token },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (cause) {
      throw new OperatorError(`${running}, but Grid does not answer at ${base}. ${wayOut}`, { cause });
    }
    if (!answer.ok) {
      throw new OperatorError(
        `${running}, but Grid at ${base} refuses to ${wanted} (${answer.status}: ${await answer.text()}). ${wayOut}`,
      );
    }
    return answer.json();
  };
}

interface Listed {
  readonly id: number;
  readonly email: string;
}

/** The account of the developer, which is made where it is missing. */
export async function idOfDeveloper(ask: AskGrid): Promise<number> {
  const users = (await ask('GET', '/admin/users')) as readonly Listed[];
  const developer =
    users.find(({ email }) => email === DEVELOPER.email) ??
    ((await ask('POST', `/admin/users?${new URLSearchParams(DEVELOPER)}`)) as Listed);
  return developer.id;
}

/** Where a service listens, as it is reached from this machine; undefined for a port that the system chose. */
export function addressOf({ host, tls }: Settings, port: number): string | undefined {
  if (port === 0) return undefined;
  const here = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://${here.includes(':') ? `[${here}]` : here}:${port}`;
}
