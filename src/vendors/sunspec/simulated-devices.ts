import type { ModelId } from './layout.ts';
import { MODELS, type Model } from './points.ts';
import {
  BATTERY_W,
  flowsOf,
  PACK_WH,
  type Plant,
  RATED_W,
  type SimulatedModel,
  type Values,
} from './simulated-registers.ts';

/** What commands have written, by model and point. */
export type Settings = Record<number, Record<string, number>>;

interface Change {
  readonly id: ModelId;
  readonly name: string;
  readonly value: number;
}

export interface SimulatedDevice {
  readonly unit: number;
  readonly base: number;
  readonly sunW: number;
  readonly batteryWh: number;
  settings(): Settings;
  models(plant: Plant, settings: Settings): SimulatedModel[];
  /** Takes what was written; false where a value is not accepted. */
  change(settings: Settings, plant: Plant, changes: readonly Change[]): boolean;
  /** Shows in the registers what a timer has ended. */
  afterTime(settings: Settings, plant: Plant): void;
  isSetting(id: ModelId, name: string): boolean;
  lengthOf(id: ModelId): number;
}

const NEVER = Number.POSITIVE_INFINITY;
const MOST_PERCENT = 100;

/** The same for all devices: the plant obeys what the control models say. */
const obedient = (
  settings: () => Settings,
): Omit<SimulatedDevice, 'models' | 'unit' | 'base' | 'sunW' | 'batteryWh'> => ({
  settings,
  lengthOf: (id) => (MODELS[id] as Model).length,
  isSetting: (id, name) => settings()[id]?.[name] !== undefined,
  change(now, plant, changes) {
    for (const { id, name, value } of changes) {
      const known = now[id]?.[name];
      if (Number.isNaN(value) || known === undefined) continue;
      if (/Pct$|WRte$/.test(name) && Math.abs(value) > MOST_PERCENT) return false;
    }
    for (const { id, name, value } of changes) {
      const own = now[id];
      if (own?.[name] !== undefined && !Number.isNaN(value)) own[name] = value;
    }
    obey(now, plant);
    return true;
  },
  afterTime(now, plant) {
    if (plant.limit === undefined) {
      if (now[123] !== undefined) now[123].WMaxLim_Ena = 0;
      if (now[704] !== undefined) now[704].WMaxLimPctEna = 0;
    }
    if (plant.setPoint === undefined) {
      if (now[124] !== undefined) now[124].StorCtl_Mod = 0;
      if (now[704]?.WSetEna !== undefined) now[704].WSetEna = 0;
    }
  },
});

/** Any write starts the timers anew. */
function obey({ 123: basic, 124: storage, 704: der }: Settings, plant: Plant): void {
  const until = (seconds: number | undefined) =>
    seconds === undefined || seconds === 0 ? NEVER : plant.at + seconds * 1_000;
  const limit = (percent: number | undefined, seconds: number | undefined) => ({
    watt: (RATED_W * (percent ?? MOST_PERCENT)) / 100,
    until: until(seconds),
  });
  plant.limit =
    basic?.WMaxLim_Ena === 1
      ? limit(basic.WMaxLimPct, basic.WMaxLimPct_RvrtTms)
      : der?.WMaxLimPctEna === 1
        ? limit(der.WMaxLimPct, der.WMaxLimPctRvrtTms)
        : undefined;
  plant.setPoint = undefined;
  if (storage !== undefined && (storage.StorCtl_Mod ?? 0) !== 0) {
    const { StorCtl_Mod: mode = 0, InWRte = MOST_PERCENT, OutWRte = MOST_PERCENT } = storage;
    plant.setPoint = {
      least: (mode & 2) === 0 ? -BATTERY_W : -(OutWRte / 100) * BATTERY_W,
      most: (mode & 1) === 0 ? BATTERY_W : (InWRte / 100) * BATTERY_W,
      until: until(storage.InOutWRte_RvrtTms),
    };
  }
  if (der?.WSetEna === 1) {
    const taken = 0 - (der.WSet ?? 0);
    plant.setPoint = { least: taken, most: taken, until: until(der.WSetRvrtTms) };
  }
}

const common = (Mn: string, Md: string, SN: string): SimulatedModel => ({
  id: 1,
  values: { Mn, Md, Opt: '', Vr: '1.0', SN, DA: 1 },
});

/** The AC side in integers with scale factors (101–103). */
function integers({ acW }: { readonly acW: number }, plant: Plant, W_SF: number): Values {
  return {
    ...{ A: Math.abs(acW) / 690, A_SF: -2, PhVphA: 230, PhVphB: 231, PhVphC: 229, V_SF: -1 },
    ...{ W: acW, W_SF, Hz: 50, Hz_SF: -2, VA: Math.abs(acW), VA_SF: W_SF },
    ...{ WH: plant.producedWh, WH_SF: 0, TmpCab: 41.5, Tmp_SF: -1, St: stateOf(plant) },
    ...{ Evt1: 0, Evt2: 0 },
  };
}

const MPPT = 4;
const THROTTLED = 5;
const stateOf = (plant: Plant) => (plant.limit === undefined ? MPPT : THROTTLED);

const nameplate = (DERTyp: number): SimulatedModel => ({
  id: 120,
  values: {
    ...{ DERTyp, WRtg: RATED_W, WRtg_SF: 1, VARtg: RATED_W, VARtg_SF: 1, ARtg: 12, ARtg_SF: -2 },
    ...(DERTyp === 82 ? { WHRtg: PACK_WH, WHRtg_SF: 0, MaxChaRte: BATTERY_W, MaxChaRte_SF: 0 } : {}),
    ...(DERTyp === 82 ? { MaxDisChaRte: BATTERY_W, MaxDisChaRte_SF: 0 } : {}),
  },
});
const ratings: SimulatedModel = { id: 121, values: { WMax: RATED_W, WMax_SF: 1, VRef: 230, VRef_SF: 0 } };
const status: SimulatedModel = { id: 122, values: { PVConn: 7, StorConn: 0, ECPConn: 1 } };

const controls = (settings: Settings, WMaxLimPct_SF: number): SimulatedModel => ({
  id: 123,
  values: {
    Conn: 1,
    ...settings[123],
    WMaxLimPct_SF,
    OutPFSet: 1,
    OutPFSet_Ena: 0,
    OutPFSet_SF: -2,
    VArPct_Ena: 0,
  },
});

const limitSettings = {
  WMaxLimPct: 100,
  WMaxLimPct_WinTms: 0,
  WMaxLimPct_RvrtTms: 0,
  WMaxLimPct_RmpTms: 0,
  WMaxLim_Ena: 0,
};
const storageSettings = {
  ...{ StorCtl_Mod: 0, OutWRte: 100, InWRte: 100, InOutWRte_WinTms: 0, InOutWRte_RvrtTms: 0, ChaGriSet: 1 },
};
const derSettings = {
  ...{ WMaxLimPctEna: 0, WMaxLimPct: 100, WMaxLimPctRvrt: 100, WMaxLimPctEnaRvrt: 0, WMaxLimPctRvrtTms: 0 },
  ...{ WSetEna: 0, WSetMod: 1, WSet: 0, WSetRvrt: 0, WSetEnaRvrt: 0, WSetRvrtTms: 0 },
};

const soc = ({ storedWh }: Plant) => (storedWh / PACK_WH) * 100;
const CHARGING = 4;
const DISCHARGING = 3;
const HOLDING = 6;
const chargeState = (watt: number) => (watt > 0 ? CHARGING : watt < 0 ? DISCHARGING : HOLDING);

function inputs160(plant: Plant): SimulatedModel {
  const { panelsW, batteryW } = flowsOf(plant);
  const module = (ID: number, IDStr: string, DCW: number) => ({
    ID,
    IDStr,
    DCW,
    DCV: 400,
    DCA: DCW / 400,
    DCSt: MPPT,
  });
  return {
    id: 160,
    values: { DCA_SF: -2, DCV_SF: -1, DCW_SF: -1, DCWH_SF: 0, Evt: 0, N: 4 },
    groups: [
      module(1, 'MPPT 1', Math.min(panelsW * 0.6, 6_000)),
      module(2, 'MPPT 2', panelsW - Math.min(panelsW * 0.6, 6_000)),
      module(3, 'StCha 3', Math.max(0, batteryW)),
      module(4, 'StDisCha 4', Math.max(0, -batteryW)),
    ],
  };
}

/** The AC side, ratings and controls of IEEE 1547 (701, 702, 704), and the DC side (714). */
function der(plant: Plant, settings: Settings, port: 'PV' | 'ESS'): SimulatedModel[] {
  const { acW, panelsW, batteryW } = flowsOf(plant);
  const isStorage = port === 'ESS';
  return [
    {
      id: 701,
      values: {
        ...{ ACType: 2, St: 1, InvSt: plant.limit === undefined ? 3 : 4, ConnSt: 1, W: acW, W_SF: 1 },
        ...{ TotWhInj: Math.round(plant.producedWh), TotWhAbs: 0, TotWh_SF: 0, TmpCab: 38, Tmp_SF: 0 },
      },
    },
    {
      id: 702,
      values: {
        ...{ WMaxRtg: RATED_W, WMax: RATED_W, W_SF: 0 },
        ...(isStorage ? { WChaRteMax: BATTERY_W, WDisChaRteMax: BATTERY_W } : {}),
      },
    },
    { id: 703, values: { ES: 1 } },
    { id: 704, values: { ...settings[704], WMaxLimPct_SF: -1, ...(isStorage ? { WSet_SF: 0 } : {}) } },
    ...(isStorage
      ? [
          {
            id: 713,
            values: {
              WHRtg: PACK_WH,
              WHAvail: plant.storedWh,
              SoC: soc(plant),
              Sta: 0,
              WH_SF: 1,
              Pct_SF: -1,
            },
          } as const,
        ]
      : []),
    {
      id: 714,
      values: {
        PrtAlrms: 0,
        NPrt: 1,
        DCW: isStorage ? -batteryW : panelsW,
        DCW_SF: 1,
        DCA_SF: -1,
        DCV_SF: -1,
        DCWH_SF: 0,
      },
      groups: [
        { PrtTyp: isStorage ? 1 : 0, ID: 1, IDStr: port, DCW: isStorage ? -batteryW : panelsW, DCSta: 1 },
      ],
    },
  ];
}

/** Devices as they are sold, each with a trap of its kind. */
export const devices = {
  /** A hybrid inverter with integers, a battery as two more inputs, and a meter behind it. */
  hybrid: {
    ...{ unit: 1, base: 40_000, sunW: 4_000, batteryWh: PACK_WH / 2 },
    ...obedient(() => ({ 123: { ...limitSettings }, 124: { ...storageSettings } })),
    models(plant, settings) {
      const flows = flowsOf(plant);
      return [
        common('Fronius', 'Symo GEN24 8.0', '31234567'),
        { id: 103, values: integers(flows, plant, 0) },
        nameplate(82),
        ratings,
        status,
        controls(settings, -2),
        inputs160(plant),
        {
          id: 124,
          values: {
            ...{ WChaMax: BATTERY_W, WChaMax_SF: 0, WChaGra: 100, WDisChaGra: 100, WChaDisChaGra_SF: 0 },
            ...{ MinRsvPct: 5, MinRsvPct_SF: -2, ChaState: soc(plant), ChaState_SF: -2 },
            ...{ ChaSt: chargeState(flows.batteryW), InOutWRte_SF: -2, ...settings[124] },
          },
        },
        common('Fronius', 'Smart Meter 63A', '19876543'),
        {
          id: 203,
          values: {
            ...{ A: 3, A_SF: -1, W: 1_200 - flows.acW, W_SF: 0 },
            ...{ TotWhExp: 4_000_000, TotWhImp: 2_000_000, TotWh_SF: 0 },
          },
        },
      ];
    },
  },
  /** A string inverter of the first generation: registers from 0, a short common model, whole percents, and no timers. */
  string: {
    ...{ unit: 126, base: 0, sunW: 5_000, batteryWh: 0 },
    ...obedient(() => ({ 123: { WMaxLimPct: 100, WMaxLim_Ena: 0 } })),
    models: (plant, settings) => [
      { ...common('SMA', 'STP 8000TL', '2110012345'), length: 65 },
      { id: 103, values: integers(flowsOf(plant), plant, 1) },
      nameplate(4),
      controls(settings, 0),
    ],
  },
  /** The same in floating point, as Fronius calls it. */
  float: {
    ...{ unit: 1, base: 50_000, sunW: 3_000, batteryWh: 0 },
    ...obedient(() => ({ 123: { ...limitSettings } })),
    models(plant, settings) {
      const { acW } = flowsOf(plant);
      return [
        common('Fronius', 'Symo 8.2-3-M', '34567890'),
        {
          id: 113,
          values: {
            A: acW / 690,
            W: acW,
            Hz: 50.01,
            WH: plant.producedWh,
            TmpCab: 36.75,
            St: stateOf(plant),
            Evt1: 0,
          },
        },
        nameplate(4),
        ratings,
        status,
        controls(settings, -2),
      ];
    },
  },
  /** An inverter with the models of IEEE 1547 alone, which counts its registers from 1. */
  der: {
    ...{ unit: 1, base: 40_001, sunW: 6_000, batteryWh: 0 },
    ...obedient(() => ({ 704: { ...derSettings } })),
    models: (plant, settings) => [common('Example', 'DER 8', 'DER-0001'), ...der(plant, settings, 'PV')],
  },
  /** A battery with its own inverter, by the same models. */
  battery: {
    ...{ unit: 1, base: 40_000, sunW: 0, batteryWh: PACK_WH / 2 },
    ...obedient(() => ({ 704: { ...derSettings } })),
    models: (plant, settings) => [common('Example', 'ESS 5', 'ESS-0001'), ...der(plant, settings, 'ESS')],
  },
} as const satisfies Readonly<Record<string, SimulatedDevice>>;
