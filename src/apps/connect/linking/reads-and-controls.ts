import type { Adapter } from '../../../adapter/adapter.ts';
import {
  CONTROL_CAPABILITIES,
  type ControlCapability,
  FIELDS,
  READ_CAPABILITIES,
  READS,
} from '../../../adapter/fields.ts';
import { DEVICE_WORDS } from '../../../adapter/login.ts';
import { type Language, translated } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { MOST_KINDS, typesOf } from './vendors.ts';

interface CapabilityTexts {
  readonly every: string;
  readonly read: (what: string) => string;
  readonly control: (what: string) => string;
  /** What every device says of itself, whatever it can do. */
  readonly status: string;
  readonly controls: Readonly<Record<ControlCapability, string>>;
}

const WORDS = translated<CapabilityTexts>({
  en: {
    every: 'Every kind of device',
    read: (what) => `Reads ${what}`,
    control: (what) => `Can ${what}`,
    status: 'its status',
    controls: {
      on_off: 'turn it on and off',
      charge_limit: 'set the charge limit',
      charge_control: 'start and stop charging',
      set_current: 'set the charging current',
      load_balancing: 'limit its power',
      set_temperature: 'set the temperature',
      set_light: 'dim it and change its colour',
      set_battery_power: 'charge and discharge it',
      program_control: 'start and stop programs',
      delayed_start: 'delay its start',
    },
  },
  sv: {
    every: 'Alla sorters enheter',
    read: (what) => `Läser av ${what}`,
    control: (what) => `Kan ${what}`,
    status: 'status',
    controls: {
      on_off: 'slå på och av',
      charge_limit: 'ändra laddgränsen',
      charge_control: 'starta och stoppa laddning',
      set_current: 'ändra laddströmmen',
      load_balancing: 'begränsa effekten',
      set_temperature: 'ändra temperaturen',
      set_light: 'dimra och byta färg',
      set_battery_power: 'ladda och ladda ur',
      program_control: 'starta och stoppa program',
      delayed_start: 'skjuta upp starten',
    },
  },
});

type Kinds = Pick<Adapter, 'kinds'>;
type Part = Kinds['kinds'][keyof Kinds['kinds']];

/** Whether anything of a vendor can be controlled, or it is read alone. */
export const canControl = (adapter: Kinds): boolean => controlsOf(partsOf(adapter)).length > 0;

/** What is read and controlled of a vendor's devices, by type; of many types together. */
export function readsAndControls(adapter: Kinds, language: Language): Html {
  const texts: CapabilityTexts = WORDS[language];
  const types = typesOf(adapter);
  const groups =
    types.length > MOST_KINDS
      ? [{ name: texts.every, parts: partsOf(adapter) }]
      : types.map((type) => ({
          name: capitalized(DEVICE_WORDS[language][type].many),
          parts: [adapter.kinds[type]],
        }));
  return html`<ul class="access">${groups.map(({ name, parts }) => {
    const reads = [texts.status, ...readsOf(parts).map((one) => FIELDS[READS[one]].readAs[language])];
    const controls = controlsOf(parts).map((one) => texts.controls[one]);
    return html`<li><strong>${name}</strong><span>${texts.read(listed(reads, language, 'conjunction'))}</span>${
      controls.length === 0
        ? null
        : html`<span>${texts.control(listed(controls, language, 'disjunction'))}</span>`
    }</li>`;
  })}</ul>`;
}

const partsOf = (adapter: Kinds): readonly Part[] => typesOf(adapter).map((type) => adapter.kinds[type]);
const readsOf = (parts: readonly Part[]) =>
  READ_CAPABILITIES.filter((one) => parts.some((part) => part?.reads[one] !== undefined));
const controlsOf = (parts: readonly Part[]) =>
  CONTROL_CAPABILITIES.filter((one) => parts.some((part) => part?.controls[one] !== undefined));

const listed = (texts: readonly string[], language: Language, type: 'conjunction' | 'disjunction') =>
  new Intl.ListFormat(language === 'en' ? 'en-GB' : language, { type }).format(texts);
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
