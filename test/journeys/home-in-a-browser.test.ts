import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { HOUR_MS, SECOND_MS } from '../../src/core/durations.ts';
import { type AppThatLinks, openApp, outcomeInApp, signInAtSimulator } from '../kit/app-that-links.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { until } from '../kit/until.ts';
import { watchedPage } from '../kit/watched-page.ts';
import { type Answer, type Caller, makeWorld, type World } from '../kit/world.ts';

const PHONE = { viewport: { width: 360, height: 780 }, locale: 'en-GB' };
const DESK = { viewport: { width: 1_280, height: 900 }, locale: 'en-GB' };
/** What the programme of the simulated dishwasher takes, Eco 50 °C. */
const ECO_SECONDS = 12_600;

interface Device {
  readonly id: string;
  readonly name: string;
  readonly capabilities: readonly string[];
}
interface State {
  readonly online: boolean;
  readonly operation_state: string;
  readonly remaining_seconds: number | null;
  readonly temperature_milli_c: number;
}
interface Session {
  readonly url: string;
  readonly session: string;
}

describe('a home with a dishwasher and a heat pump, linked in a browser', { skip: withoutBrowser }, () => {
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;
  let browser: Browser;
  let app: AppThatLinks;
  before(async () => {
    // In November: the heat pump heats.
    clock = turnedClock();
    world = await makeWorld({ engine: 'sqlite', clock, env: { ELNAV_SIMULATE: 'homeconnect,myuplink' } });
    caller = await world.newAccount();
    app = await openApp();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    app?.close();
    await world?.close();
  });

  /** What comes of some work, while the clock goes on as the work needs it. */
  async function inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    await until('the work is done', () => {
      if (!isDone) clock.turn(10);
      return isDone;
    });
    return done;
  }
  const begin = async (body: object = {}): Promise<Session> => {
    const begun = await caller.call('POST', '/link/sessions', { user_ref: 'anna', ...body });
    assert.equal(begun.status, 200);
    return begun.body as Session;
  };
  const ended = async ({ session }: Session) =>
    (await caller.call('GET', `/link/sessions/${session}`)).body as {
      readonly status: string;
      readonly devices: readonly { readonly id: string }[];
      readonly next_steps?: readonly { readonly id: string; readonly devices: readonly string[] }[];
    };
  const deviceOf = async (vendor: string, name: RegExp): Promise<Device> => {
    const { body } = await caller.call('GET', `/devices?user_ref=anna&vendor=${vendor}`);
    return (body as Device[]).find((one) => name.test(one.name)) ?? assert.fail(JSON.stringify(body));
  };
  const stateOf = ({ status, body }: Answer): State => {
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { state: State }).state;
  };
  const read = async ({ id }: Device): Promise<State> =>
    stateOf(await inTime(caller.call('GET', `/devices/${encodeURIComponent(id)}`)));
  const command = async ({ id }: Device, body: object): Promise<State> =>
    stateOf(await inTime(caller.call('POST', `/devices/${encodeURIComponent(id)}/command`, body)));
  const dishwasherOf = () => deviceOf('homeconnect', /^Dishwasher/);
  const pumpOf = () => deviceOf('myuplink', /F730/);
  /** Time goes on, and both vendors have renewed what has expired. */
  async function pass(ms: number): Promise<void> {
    clock.turn(ms);
    await read(await dishwasherOf());
    await read(await pumpOf());
  }
  const watched = (options: BrowserContextOptions) => watchedPage(browser, world.connect, options);

  it('a home with a dishwasher and a heat pump, linked in a browser links the dishwasher by the name of its maker, and says what is to be done at the machine', async () => {
    const session = await begin();
    const { page, faults, close } = await watched(PHONE);
    await page.goto(session.url);
    await page.getByLabel('Search for a brand').fill('siemens diskmaskin');
    await page.getByText('1 to choose from').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Siemens' }).click();
    await page.getByRole('heading', { name: 'Connect Siemens' }).waitFor();
    await page.getByText('The devices are made up').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Continue to Home Connect' }).click();
    await page.getByRole('heading', { name: 'Simulated Home Connect sign-in' }).waitFor();
    await assertAccessible(page);
    await signInAtSimulator(page, 'home');
    await page.getByRole('heading', { name: 'Home Connect is connected' }).waitFor();
    await page.getByText('Dishwasher (simulated)').waitFor();
    await page.getByRole('heading', { name: 'What is left to do' }).waitFor();
    await page.getByText('close the door and press Remote start on it').waitFor();
    const more = page.getByRole('link', { name: 'About Home Connect' });
    assert.equal(await more.getAttribute('class'), null, 'no button: it is done at the machine');
    await page.getByText('You can close this page').waitFor();
    await assertAccessible(page);
    assert.deepEqual(faults(), []);
    await close();
    const { status, devices, next_steps: steps = [] } = await ended(session);
    assert.equal(status, 'linked');
    const dishwasher = await dishwasherOf();
    assert.ok(devices.some(({ id }) => id === dishwasher.id));
    assert.deepEqual(
      steps.map(({ id, devices: those }) => [id, those.includes(dishwasher.id)]),
      [['allow_remote_start', true]],
    );
  });

  it('a home with a dishwasher and a heat pump, linked in a browser links the heat pump by the name of its maker, and goes back to the app', async () => {
    const session = await begin({ redirect_uri: app.url });
    const { page, close } = await watched(DESK);
    await page.goto(session.url);
    await page.getByLabel('Search for a brand').fill('Nibe');
    await page.getByText('With the account of the myUplink app').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'NIBE' }).click();
    await page.getByRole('heading', { name: 'Connect NIBE' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Continue to myUplink' }).click();
    await page.getByRole('heading', { name: 'Simulated myUplink sign-in' }).waitFor();
    await assertAccessible(page);
    await signInAtSimulator(page, 'home');
    const outcome = await outcomeInApp(page, app);
    assert.deepEqual([outcome.status, outcome.session], ['linked', session.session]);
    await page.goto(`${session.url}/done`);
    await page.getByRole('heading', { name: 'myUplink is connected' }).waitFor();
    await assertAccessible(page);
    await close();
    const { status, next_steps: steps } = await ended(session);
    assert.deepEqual([status, steps], ['linked', undefined]);
  });

  it('a home with a dishwasher and a heat pump, linked in a browser starts the dishwasher later, and its programme counts down', async () => {
    const dishwasher = await dishwasherOf();
    assert.ok(dishwasher.capabilities.includes('delayed_start'));
    await until('its changes are reported', async () => {
      clock.turn(100);
      const metrics = await (await fetch(`${world.connect}/metrics`)).text();
      return metrics.includes('elnav_streams_open{vendor="homeconnect"} 1');
    });
    const { operation_state: before } = await read(dishwasher);
    assert.equal(before, 'Ready');
    const waiting = await command(dishwasher, { type: 'delayed_start', delay_seconds: 3_600 });
    assert.deepEqual([waiting.operation_state, waiting.remaining_seconds], ['DelayedStart', ECO_SECONDS]);
    await pass(HOUR_MS / 2);
    assert.equal((await read(dishwasher)).operation_state, 'DelayedStart');
    await pass(HOUR_MS);
    const running = await read(dishwasher);
    assert.equal(running.operation_state, 'Run');
    assertNear(running.remaining_seconds, ECO_SECONDS - 1_800);
    await pass(HOUR_MS);
    const later = await read(dishwasher);
    assert.equal(later.operation_state, 'Run');
    assertNear(later.remaining_seconds, ECO_SECONDS - 5_400);
    await pass((ECO_SECONDS - 5_400) * SECOND_MS);
    const finished = await read(dishwasher);
    assert.deepEqual([finished.operation_state, finished.remaining_seconds], ['Finished', null]);
  });

  it('a home with a dishwasher and a heat pump, linked in a browser sets the temperature of the heat pump, and the room becomes as warm', async () => {
    const pump = await pumpOf();
    assert.ok(pump.capabilities.includes('set_temperature'));
    const before = await read(pump);
    const target = before.temperature_milli_c + 3_000;
    const ordered = await command(pump, { type: 'set_temperature', target_milli_c: target });
    assert.equal(ordered.operation_state, 'Heating');
    const temperatures = [before.temperature_milli_c];
    for (let halves = 0; halves < 3; halves += 1) {
      await pass(HOUR_MS / 2);
      temperatures.push((await read(pump)).temperature_milli_c);
    }
    for (const [index, warmer] of temperatures.slice(1).entries())
      assert.ok(warmer > (temperatures[index] ?? warmer) && warmer < target, temperatures.join());
    await pass(4 * HOUR_MS);
    assert.equal((await read(pump)).temperature_milli_c, target);
  });
});

/** Requests and commands take some of the clock's seconds, and the stream reports each minute. */
function assertNear(seconds: number | null, expected: number): void {
  assert.ok(seconds !== null && Math.abs(seconds - expected) <= 120, `${seconds}, not about ${expected}`);
}
