import type { Mutant } from './mutant.ts';

const FRAMES = 'src/adapter/modbus/frames.ts';
const MODBUS_TESTS = ['src/adapter/modbus/faults.test.ts', 'src/adapter/modbus/frames.test.ts'];
const MAP_TESTS = ['src/vendors/modbus/check.test.ts', 'src/vendors/modbus/modbus.test.ts'];
const MQTT_FRAMES = 'src/outbound/connections/mqtt-frames.ts';
const MQTT_FRAMES_TESTS = ['src/outbound/connections/mqtt-frames.test.ts'];
const MQTT_TESTS = ['src/vendors/mqtt/mqtt.test.ts', 'src/vendors/mqtt/mapping.test.ts'];
const SUNSPEC_COMMANDS = 'src/vendors/sunspec/commands.ts';
const SUNSPEC_TESTS = ['src/vendors/sunspec/commands.test.ts'];
const CERTIFICATES = ['test/journeys/device-certificates.test.ts'];

/** Devices in local networks, without a cloud between. */
export const mutants: readonly Mutant[] = [
  {
    control: 'the response to another request is none to this one',
    file: FRAMES,
    from: "    if (received.readUInt32BE(0) !== frame.readUInt32BE(0)) throw new Error('it is of another transaction');\n",
    to: '',
    tests: MODBUS_TESTS,
  },
  {
    control: 'the response of another unit is none of this one',
    file: FRAMES,
    from: "    if (received[6] !== frame[6]) throw new Error('it is of another unit');\n",
    to: '',
    tests: MODBUS_TESTS,
  },
  {
    control: 'a write that was accepted and not confirmed has an unknown outcome',
    file: 'src/adapter/modbus/exceptions.ts',
    from: '      if (IS_WRITE.has(request.code)) return outcomeUnknown(name);\n',
    to: '',
    tests: MODBUS_TESTS,
  },
  {
    control: 'registers of a map do not overlap',
    file: 'src/vendors/modbus/check.ts',
    from: 'if (!areOverlapping(register, one)) return;',
    to: 'if (areOverlapping(register, one)) return;',
    tests: MAP_TESTS,
  },
  {
    control: 'a map writes to no register that can only be read',
    file: 'src/vendors/modbus/check.ts',
    from: "if (table === 'input' || table === 'discrete')",
    to: "if (table === 'input' && table !== 'input')",
    tests: MAP_TESTS,
  },
  {
    control: 'only an address that the device does not have is left out',
    file: 'src/vendors/modbus/device.ts',
    from: '      absent.push(fills);\n',
    to: '',
    tests: MAP_TESTS,
  },
  {
    control: 'what was left out while linking is not read again',
    file: 'src/vendors/modbus/device.ts',
    from: '  return without(device, leftOut);\n',
    to: '  return without(device, leftOut.slice(0, 0));\n',
    tests: MAP_TESTS,
  },
  {
    control: 'what a broker retained is not newer than what a device has published',
    file: 'src/vendors/mqtt/reading.ts',
    from: '    if (message.isRetained && values.get(name)?.at != null) continue;\n',
    to: '',
    tests: MQTT_TESTS,
  },
  {
    control: 'what a broker retained is of unknown age',
    file: 'src/vendors/mqtt/reading.ts',
    from: 'at: message.isRetained ? null : now, number: count }',
    to: 'at: now }',
    tests: MQTT_TESTS,
  },
  {
    control: 'a reading that its type does not show is refused',
    file: 'src/vendors/mqtt/link.ts',
    from: 'if (unshown !== undefined)',
    to: "if (unshown === '')",
    tests: MQTT_TESTS,
  },
  {
    control: 'an EnergyHub is not believed what somebody retained',
    file: 'src/vendors/ferroamp/messages.ts',
    from: 'message.isRetained ? undefined : messageIn(',
    to: 'messageIn(',
    tests: ['src/vendors/ferroamp/messages.test.ts', 'src/vendors/ferroamp/ferroamp.test.ts'],
  },
  {
    control: 'a battery of sonnen is returned to the mode of its owner',
    file: 'src/vendors/sonnen/commands.ts',
    from: '    if (kept !== MANUAL) await setOperatingMode(session, device, kept);\n',
    to: '',
    tests: ['src/vendors/sonnen/sonnen.test.ts'],
  },
  {
    control: 'a battery of SunSpec that is released obeys no rates',
    file: SUNSPEC_COMMANDS,
    from: '  await write(storage, { StorCtl_Mod: 0 });\n',
    to: '',
    tests: SUNSPEC_TESTS,
  },
  {
    control: 'a battery of SunSpec that is released keeps no rate of discharging',
    file: SUNSPEC_COMMANDS,
    from: '{ OutWRte: whole, InWRte: whole }',
    to: '{ InWRte: whole }',
    tests: SUNSPEC_TESTS,
  },
  {
    control: 'a battery of SunSpec that is released keeps no rate of charging',
    file: SUNSPEC_COMMANDS,
    from: '{ OutWRte: whole, InWRte: whole }',
    to: '{ OutWRte: whole }',
    tests: SUNSPEC_TESTS,
  },
  {
    control: 'networks that hold no device are none of the own ones',
    file: 'src/core/local-networks.ts',
    from: 'isOwn && whyNoDevice(address) === null',
    to: 'isOwn',
    tests: ['src/core/local-networks.test.ts'],
  },
  {
    control: 'a message that is too large is acknowledged, so that others follow it',
    file: MQTT_FRAMES,
    from: '    if (end < text.length) this.#socket.write(Buffer.from([0x40, 2, ...text.subarray(end)]));\n',
    to: '',
    tests: MQTT_FRAMES_TESTS,
  },
  {
    control: 'large messages of all connections share their room',
    file: MQTT_FRAMES,
    from: 'if (length > MOST_MESSAGE_BYTES || !this.#filter.large.take(length)) return false;',
    to: 'if (length > MOST_MESSAGE_BYTES) return false;',
    tests: MQTT_FRAMES_TESTS,
  },
  {
    control: 'nothing is sent to a device that shows another certificate',
    file: 'src/outbound/device-certificates.ts',
    from: 'if (isKept(shown, pinned)) return done(null, socket);',
    to: 'return done(null, socket);',
    tests: CERTIFICATES,
  },
  {
    control: 'a certificate is renewed for the same name alone',
    file: 'src/outbound/shown-certificate.ts',
    from: '(shown.name !== null && shown.name === pinned.name)',
    to: 'shown.name !== null',
    tests: CERTIFICATES,
  },
  {
    control: 'the certificate of a broker is judged over connections too',
    file: 'src/outbound/connections/tls.ts',
    from: 'if (isKept(shownOn(secure), pinned)) return secure;',
    to: 'if (pinned.sha256 !== secure.remoteAddress) return secure;',
    tests: ['test/journeys/mosquitto.test.ts'],
  },
];
