import type { Mutant } from './mutant.ts';

/** What comes in from charging stations, from whom, and how much of it. */
export const mutants: readonly Mutant[] = [
  {
    control: 'text of a station is cut to what the protocol allows',
    file: 'src/vendors/ocpp/repair.ts',
    from: "return characters.slice(0, maxLength).join('');",
    to: 'return text;',
    tests: ['src/vendors/ocpp/lenient.test.ts'],
  },
  {
    control: 'NUL and half characters of a station are cleaned away',
    file: 'src/vendors/ocpp/repair.ts',
    from: "return sent.replaceAll('\\0', '').toWellFormed();",
    to: 'return sent;',
    tests: ['src/vendors/ocpp/lenient.test.ts'],
  },
  {
    control: 'a sampled value without its measurand or unit is not taken for another',
    file: 'src/vendors/ocpp/repair.ts',
    from: 'if (value === UNUSABLE && DECISIVE.has(name)) return UNUSABLE;',
    to: '',
    tests: ['src/vendors/ocpp/lenient.test.ts'],
  },
  {
    control: 'what is needed and absent is refused',
    file: 'src/vendors/ocpp/inbox.ts',
    from: 'if (refusal !== null) throw callError(refusal.code, refusal.words);',
    to: 'void refusal;',
    tests: ['src/vendors/ocpp/lenient.test.ts'],
  },
  {
    control: 'our calls are exactly what the protocol describes',
    file: 'src/vendors/ocpp/calls.ts',
    from: 'this.#schemas.checkCall(action, params);',
    to: '',
    tests: ['src/vendors/ocpp/lenient.test.ts'],
  },
  {
    control: 'answers of a station do not count against its pace',
    file: 'src/vendors/ocpp/inbox.ts',
    from: '  // An answer to no call is malformed.',
    to: "  rpc.on('response', ({ outbound }: { outbound: boolean }) => outbound || count());",
    tests: ['src/vendors/ocpp/connection.test.ts'],
  },
  {
    control: 'answers that nobody asked for are malformed messages',
    file: 'src/vendors/ocpp/inbox.ts',
    from: "if (bad > options.badMessages) out('too many malformed messages');",
    to: "if (bad > Number.MAX_VALUE) out('too many malformed messages');",
    tests: ['src/vendors/ocpp/connection.test.ts'],
  },
  {
    control: 'the first connector keeps its id when others show up',
    file: 'src/vendors/ocpp/known.ts',
    from: '(connector === 1 ? identity',
    to: '(known.connectors.length === 1 ? identity',
    tests: ['src/vendors/ocpp/device-ids.test.ts'],
  },
  {
    control: 'ids of devices that were made before ids lasted stay what they are',
    file: 'src/vendors/ocpp/known.ts',
    from: 'device_ids: kept.device_ids ?? lasting',
    to: 'device_ids: kept.device_ids ?? {}',
    tests: ['src/vendors/ocpp/device-ids.test.ts'],
  },
];
