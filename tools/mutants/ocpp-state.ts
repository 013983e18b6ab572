import type { Mutant } from './mutant.ts';

const OCPP = 'src/vendors/ocpp';
const LIVE = `${OCPP}/live-state.test.ts`;
const PAUSE = `${OCPP}/pause.test.ts`;

/** What a station's live state and its transactions rest on. */
export const mutants: readonly Mutant[] = [
  {
    control: 'what is measured beats what a station says of itself',
    file: `${OCPP}/translate.ts`,
    from: 'if (power_w !== null && power_w > FLOWS_W) return true;',
    to: '',
    tests: [LIVE],
  },
  {
    control: 'a paused car does not charge, whatever the station goes on saying',
    file: `${OCPP}/translate.ts`,
    from: '(raw.limit_a === 0 || !in_transaction)',
    to: '!in_transaction',
    tests: [PAUSE],
  },
  {
    control: 'Occupied in a transaction tells nothing of charging',
    file: `${OCPP}/translate.ts`,
    from: "raw.word === 'Occupied' && in_transaction ? null : ",
    to: '',
    tests: [LIVE],
  },
  {
    control: 'a start lifts our pause whatever the station says',
    file: `${OCPP}/charger.ts`,
    from: '  if (limitNow(connector, station.host.clock.now()) === 0) {\n    await liftPause',
    to: "  if (wordOf(connector) === 'SuspendedEVSE') {\n    await liftPause",
    tests: [PAUSE],
  },
  {
    control: 'no second transaction is asked for while one runs',
    file: `${OCPP}/charger.ts`,
    from: 'if (connector.transaction !== null && !awaitsCard(connector)) {',
    to: 'if (connector.transaction !== null && isCharging(connector, 0)) {',
    tests: [PAUSE],
  },
  {
    control: 'a pause ends at the limit before it',
    file: `${OCPP}/connector.ts`,
    from: 'if (is !== null && is > 0) connector.lastLimit',
    to: 'if (is === 99) connector.lastLimit',
    tests: [PAUSE],
  },
  {
    control: 'limits are laid again after a boot',
    file: `${OCPP}/learning.ts`,
    from: 'if (this.#limitsLost) await',
    to: 'if (this.#stopped) await',
    tests: [PAUSE],
  },
  {
    control: 'the charging state of a running transaction outlives the connection',
    file: `${OCPP}/recall.ts`,
    from: 'tell(connector, { status, chargingState: charging_state }, idle_since);',
    to: 'tell(connector, { status: null, chargingState: null }, idle_since + 0 * Number(status ?? charging_state));',
    tests: [LIVE],
  },
  {
    control: 'the register outlives the connection, wherever the line breaks',
    file: `${OCPP}/recall.ts`,
    from: '    takeRegister(connector, wh, at);\n',
    to: '',
    tests: [LIVE, `${OCPP}/cut-line.test.ts`],
  },
  {
    control: 'a meter only counts up in a transaction',
    file: `${OCPP}/connector.ts`,
    from: '(connector.counted || fall <= ROUNDING_WH)',
    to: 'fall <= ROUNDING_WH',
    tests: [LIVE],
  },
  {
    control: 'a queued register does not replace a newer one',
    file: `${OCPP}/connector.ts`,
    from: 'if (at < connector.registerAt) return;',
    to: '',
    tests: [LIVE],
  },
  {
    control: 'the end of a transaction ends its power',
    file: `${OCPP}/connector.ts`,
    from: '  connector.power_w = 0;\n',
    to: '',
    tests: [LIVE],
  },
  {
    control: 'a start ends transactions whose end was lost',
    file: `${OCPP}/transactions.ts`,
    from: 'if (other.transactionId !== transactionId) await giveUp',
    to: 'if (other.transactionId === deviceId) await giveUp',
    tests: [LIVE],
  },
  {
    control: 'a transaction of the past that arrives late is not the running one',
    file: `${OCPP}/transactions.ts`,
    from: 'if (isOld || ',
    to: 'if (',
    tests: [LIVE],
  },
  {
    control: 'a station that forgot a transaction in a power cut does not keep it open',
    file: `${OCPP}/ocpp16.ts`,
    from: '      watchForgotten(station, connector);\n',
    to: '',
    tests: [LIVE],
  },
  {
    control: 'a told end replaces one that was concluded',
    file: 'src/domain/charging/store.ts',
    from: "eb('end_estimated', '=', 1)",
    to: "eb('end_estimated', '=', 2)",
    tests: ['src/domain/charging/charging.test.ts'],
  },
  {
    control: 'a timestamp without an offset is UTC',
    file: `${OCPP}/time.ts`,
    from: 'CLOCK_WITHOUT_OFFSET.test(timestamp) ? ',
    to: "timestamp === 'never' ? ",
    tests: [`${OCPP}/meter.test.ts`],
  },
  {
    control: 'a card that is shown after the cable is kept',
    file: `${OCPP}/transaction-event.ts`,
    from: '      else await identify(station, connector, event);\n',
    to: '',
    tests: [LIVE],
  },
];
