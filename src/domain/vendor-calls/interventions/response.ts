import Type from 'typebox';
import type { AnyKind } from '../../../adapter/adapter.ts';
import { Device, type DeviceType } from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import { stepOf, type UserStep } from '../../../adapter/interventions.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import type { Language } from '../../../core/language.ts';

export interface InterventionRow extends LinkKey {
  readonly id: string;
  readonly vendor: string;
  /** Null: it is of the link, and so of each of its devices. */
  readonly device: string | null;
  readonly deviceType: DeviceType | null;
  readonly code: string;
  readonly capabilities: readonly Capability[];
  readonly openedAt: number;
  readonly resolvedAt: number | null;
}

export interface ListedIntervention extends InterventionRow {
  readonly userRef: string;
}

const time = (description: string) => Type.String({ format: 'date-time', description });

const Id = Type.String({ examples: ['7QdZ0n1mYkV3x2Wc9RbT4L'] });
const Code = Type.String({
  description: 'Names what has to be done, for programs; new codes may be added',
  examples: ['allow_remote_start'],
});
const Capabilities = Type.Array(Device.properties.capabilities.items, {
  description: 'What it keeps the device from, in part or altogether',
  examples: [['program_control', 'delayed_start']],
});
const OPENED_AT = time('When the vendor first said so');

/** As a device shows it. */
export const OpenIntervention = Type.Object(
  {
    id: Id,
    code: Code,
    capabilities: Capabilities,
    opened_at: OPENED_AT,
  },
  { title: 'OpenIntervention' },
);
export type OpenIntervention = Type.Static<typeof OpenIntervention>;

/** An item of `GET /interventions`. */
export const Intervention = Type.Object(
  {
    id: Id,
    code: Code,
    vendor: Device.properties.vendor,
    link: Type.String({ description: 'Id of the link' }),
    device: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the device; null if it concerns every device of the link',
    }),
    user_ref: Type.String({ description: 'Whose it is' }),
    capabilities: Capabilities,
    title: Type.String({ description: 'For a button, in the language of Accept-Language' }),
    text: Type.String({ description: 'What to do and why, in the same language' }),
    url: Type.Union([Type.String(), Type.Null()], {
      description:
        'Where it is done; null for what is done at the device, or by linking the account again (`POST /link/sessions`)',
    }),
    at_device: Type.Boolean({ description: 'It is done at the device itself; the address only says more' }),
    opened_at: OPENED_AT,
    resolved_at: Type.Union([time('When the vendor said that it is done'), Type.Null()]),
  },
  { title: 'Intervention' },
);
export type Intervention = Type.Static<typeof Intervention>;

/** For what an earlier version has opened, and no adapter declares any more. */
const UNKNOWN: UserStep = {
  words: {
    en: { title: "Look in the vendor's app", text: 'The vendor needs something from you before this works.' },
    sv: {
      title: 'Titta i tillverkarens app',
      text: 'Tillverkaren behöver något av dig innan det här fungerar.',
    },
  },
};

export interface Shown {
  readonly kind: AnyKind | undefined;
  readonly language: Language;
  /** The host of Connect's public address. */
  readonly domain: string;
}

export function responseOf(row: ListedIntervention, { kind, language, domain }: Shown): Intervention {
  const { words, url = null, isAtDevice = false } = stepOf(kind, row.code) ?? UNKNOWN;
  const { id, code, vendor, link, device, userRef, capabilities } = row;
  return {
    ...{ id, code, vendor, link, device },
    user_ref: userRef,
    capabilities: [...capabilities],
    ...words[language],
    url: typeof url === 'function' ? url({ domain }) : url,
    at_device: isAtDevice,
    opened_at: rfc3339(row.openedAt),
    resolved_at: row.resolvedAt === null ? null : rfc3339(row.resolvedAt),
  };
}
