import type { RegisterMap } from './schemas.ts';

/** Maps of common devices. Their sources are in the README; addresses are those on the wire. */
export const PRESETS = {
  /** Three-phase meter, behind a gateway to Modbus RTU or as SDM630 with Ethernet. */
  eastron_sdm630: {
    devices: [
      {
        id: 'meter',
        measures: 'grid',
        name: 'Eastron SDM630',
        registers: [
          { address: 52, table: 'input', type: 'float32', fills: 'read_power', unit: 'W' },
          { address: 72, table: 'input', type: 'float32', fills: 'read_energy', unit: 'kWh' },
        ],
      },
    ],
  },
  /** Three-phase meters EM330, EM340, ET330 and ET340: the low word comes first. */
  carlo_gavazzi_em340: {
    devices: [
      {
        id: 'meter',
        measures: 'grid',
        name: 'Carlo Gavazzi EM340',
        registers: [
          {
            address: 0x28,
            table: 'input',
            type: 'int32',
            word_order: 'little',
            scale: 0.1,
            unit: 'W',
            fills: 'read_power',
            absent_values: [0x7fff_ffff],
          },
          {
            address: 0x34,
            table: 'input',
            type: 'int32',
            word_order: 'little',
            scale: 0.1,
            unit: 'kWh',
            fills: 'read_energy',
            absent_values: [0x7fff_ffff],
          },
        ],
      },
    ],
  },
  /** Three-phase meters A43, A44, B23 and B24. */
  abb_b23: {
    devices: [
      {
        id: 'meter',
        measures: 'grid',
        name: 'ABB B23',
        registers: [
          {
            address: 0x5b14,
            type: 'int32',
            scale: 0.01,
            unit: 'W',
            fills: 'read_power',
            absent_values: [0x7fff_ffff],
          },
          {
            address: 0x5000,
            type: 'uint64',
            scale: 0.01,
            unit: 'kWh',
            fills: 'read_energy',
            // All bits are set; the number is rounded up.
            absent_values: [2 ** 64],
          },
        ],
      },
    ],
  },
  /** Pumps with a CIM 500 module, or a CIM 200 behind a gateway. */
  grundfos_cim: {
    devices: [
      {
        id: 'pump',
        name: 'Grundfos pump',
        registers: [
          { address: 200, bit: 9, fills: 'power_on' },
          { address: 311, type: 'uint32', unit: 'W', fills: 'read_power', absent_values: [0xffff_ffff] },
          { address: 331, type: 'uint32', unit: 'kWh', fills: 'read_energy', absent_values: [0xffff_ffff] },
          { address: 321, scale: 0.01, unit: 'K', fills: 'read_temperature', absent_values: [0xffff] },
        ],
        // Bit 0 gives control to the bus, bit 1 runs the pump.
        writes: [
          { command: 'turn_on', address: 100, value: 3 },
          { command: 'turn_off', address: 100, value: 1 },
        ],
      },
    ],
  },
  /** Heat pumps of the S series. Those with a compressor of their own (S1155, S1255, S735) measure their power; S320 and S330 do not have it. */
  nibe_s: {
    devices: [
      {
        id: 'heat_pump',
        name: 'NIBE S series',
        type: 'heat_pump',
        registers: [
          {
            address: 26,
            table: 'input',
            type: 'int16',
            scale: 0.1,
            unit: 'C',
            fills: 'read_temperature',
            absent_values: [-32_768],
          },
          { address: 2166, table: 'input', type: 'uint32', unit: 'W', fills: 'read_power', optional: true },
        ],
      },
    ],
  },
} satisfies Record<string, RegisterMap>;

export const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];
