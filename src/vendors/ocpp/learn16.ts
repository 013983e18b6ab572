import { ALIGNED, listOf, measureAlso, RUNNING } from './measurands.ts';
import { countIn } from './numbers.ts';
import { METER_SECONDS } from './options.ts';
import type { Station } from './station.ts';

interface Configuration {
  readonly configurationKey?: readonly { key: string; readonly: boolean; value?: string }[];
}

const KEYS = [
  'NumberOfConnectors',
  'SupportedFeatureProfiles',
  'ChargingScheduleAllowedChargingRateUnit',
  'ChargingScheduleMaxPeriods',
  'ChargeProfileMaxStackLevel',
  'MaxChargingProfilesInstalled',
  'MeterValueSampleInterval',
  'MeterValuesSampledData',
  'MeterValuesAlignedData',
];

/** Asks a 1.6 station for its configuration (§9 keys), configures its metering, and has it report its state (§5.17). */
export async function learn16(station: Station): Promise<void> {
  let connectors: number | null = null;
  let smartCharging: boolean | null = null;
  try {
    const answer = await station.question<Configuration>('GetConfiguration', { key: KEYS });
    const settings = new Map(answer?.configurationKey?.map((setting) => [setting.key, setting]));
    connectors = countIn(settings.get('NumberOfConnectors')?.value);
    const profiles = settings.get('SupportedFeatureProfiles')?.value;
    if (profiles !== undefined) smartCharging = listOf(profiles).includes('SmartCharging');
    const units = listOf(settings.get('ChargingScheduleAllowedChargingRateUnit')?.value ?? '');
    station.rateUnit = units.length > 0 && !units.some((unit) => /^(current|a)$/i.test(unit)) ? 'W' : 'A';

    station.schedulePeriods = countIn(settings.get('ChargingScheduleMaxPeriods')?.value);
    station.stackLevel = countIn(settings.get('ChargeProfileMaxStackLevel')?.value) ?? 0;
    station.mostProfiles = countIn(settings.get('MaxChargingProfilesInstalled')?.value);

    const change = async (key: string, value: string): Promise<boolean> => {
      const setting = settings.get(key);
      if (setting === undefined || setting.readonly) return false;
      const answer = await station.question<{ status: string }>('ChangeConfiguration', { key, value });
      return answer?.status === 'Accepted' || answer?.status === 'RebootRequired';
    };
    const interval = Number(settings.get('MeterValueSampleInterval')?.value);
    if (!(interval > 0 && interval <= METER_SECONDS)) {
      await change('MeterValueSampleInterval', String(METER_SECONDS));
    }
    for (const [key, wanted] of [
      ['MeterValuesSampledData', RUNNING],
      ['MeterValuesAlignedData', ALIGNED],
    ] as const) {
      const now = settings.get(key)?.value ?? '';
      await measureAlso({ now, wanted, set: (list) => change(key, list) });
    }

    if (!station.learning.booted)
      await station.question('TriggerMessage', { requestedMessage: 'BootNotification' });
    await station.question('TriggerMessage', { requestedMessage: 'StatusNotification' });
    await station.question('TriggerMessage', { requestedMessage: 'MeterValues' });
  } finally {
    station.learned({ connectors, smartCharging });
  }
}
