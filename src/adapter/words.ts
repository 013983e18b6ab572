import type { Language } from '../core/language.ts';
import type { DeviceType } from './device.ts';

/** How a field of the credentials is asked for. */
export interface FieldWords {
  /** What the end user calls it: "E-mail address at Easee", not "username". */
  readonly label: string;
  /** Where it is found, or what it is good for. */
  readonly hint?: string;
  /** What would be right, where the schema's pattern was not met. */
  readonly fault?: string;
  /** What the values of an enumeration mean. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** The words for each field of the credentials, in every language. */
export type CredentialWords = Readonly<Record<Language, Readonly<Record<string, FieldWords>>>>;

/** The same for fields that are known: `satisfies WordsFor<keyof Credentials>` finds the one that lacks. */
export type WordsFor<Field extends string> = Readonly<Record<Language, Readonly<Record<Field, FieldWords>>>>;

interface TypeWords {
  readonly one: string;
  readonly many: string;
}

/** What end users call the types of devices. */
export const DEVICE_WORDS = {
  en: {
    vehicle: { one: 'car', many: 'cars' },
    charger: { one: 'car charger', many: 'car chargers' },
    heat_pump: { one: 'heat pump', many: 'heat pumps' },
    thermostat: { one: 'thermostat', many: 'thermostats' },
    solar_inverter: { one: 'solar panels', many: 'solar panels' },
    battery: { one: 'home battery', many: 'home batteries' },
    smart_home_appliance: { one: 'household appliance', many: 'household appliances' },
    light: { one: 'lamp', many: 'lamps' },
    elevator: { one: 'lift', many: 'lifts' },
    industrial: { one: 'machine', many: 'machines' },
  },
  sv: {
    vehicle: { one: 'bil', many: 'bilar' },
    charger: { one: 'laddbox', many: 'laddboxar' },
    heat_pump: { one: 'värmepump', many: 'värmepumpar' },
    thermostat: { one: 'termostat', many: 'termostater' },
    solar_inverter: { one: 'solceller', many: 'solceller' },
    battery: { one: 'hembatteri', many: 'hembatterier' },
    smart_home_appliance: { one: 'hushållsapparat', many: 'hushållsapparater' },
    light: { one: 'lampa', many: 'lampor' },
    elevator: { one: 'hiss', many: 'hissar' },
    industrial: { one: 'maskin', many: 'maskiner' },
  },
} satisfies Record<Language, Record<DeviceType, TypeWords>>;
