import Type from 'typebox';
import type { Adapter, AnyKind } from './adapter.ts';
import { capabilitiesOfKind } from './adapters.ts';
import { SET_POINT_TYPES, TIMED_TYPES } from './commands.ts';
import { CapabilitySchema, DEVICE_TYPES, type DeviceType, DeviceTypeSchema } from './device.ts';
import { scopesOf } from './tokens.ts';

/** A vendor as `GET /vendors` and `docs/vendors.md` show it. */
export const VendorDescription = Type.Object(
  {
    slug: Type.String({ examples: ['sandbox'] }),
    name: Type.String({ examples: ['Sandbox (simulated devices)'] }),
    device_types: Type.Array(DeviceTypeSchema, { examples: [['charger']] }),
    capabilities: Type.Record(Type.String(), Type.Array(CapabilitySchema), {
      description: 'By device type',
      examples: [
        { charger: ['read_power', 'read_energy', 'charge_control', 'set_current', 'load_balancing'] },
      ],
    }),
    timed_commands: Type.Record(Type.String(), Type.Array(Type.Enum([...TIMED_TYPES])), {
      description:
        'By device type: the commands that accept for_seconds, so that the device ends the limit by itself',
      examples: [{ charger: ['set_current', 'set_limit'] }],
    }),
    set_points: Type.Record(Type.String(), Type.Array(Type.Enum([...SET_POINT_TYPES])), {
      description:
        'By device type: the commands that elnav renews, and releases when they end; set_battery_power then accepts for_seconds',
      examples: [{ charger: [] }],
    }),
    linking: Type.Object({
      method: Type.Enum(['credentials', 'oauth'], {
        description: 'oauth: start at authorize_path, or with POST /link/sessions',
      }),
      schema: Type.Unknown({
        description: 'JSON Schema of the credentials for POST /link',
        examples: [{ type: 'object', properties: { seed: { type: 'string', maxLength: 100 } } }],
      }),
      authorize_path: Type.Optional(Type.String()),
      scopes: Type.Optional(
        Type.Array(Type.String(), { description: 'Permissions that the user is asked for' }),
      ),
    }),
    configured: Type.Boolean({
      description: 'Whether the operator has set everything that the vendor needs',
    }),
    simulated: Type.Boolean({
      description: 'Whether a built-in simulator is used instead of the vendor; its devices are not real',
    }),
    pushes: Type.Boolean({ description: 'Whether the vendor reports changes by itself' }),
  },
  { title: 'Vendor' },
);
export type VendorDescription = Type.Static<typeof VendorDescription>;

/** Describes vendors from their adapters, in the order of their slugs. */
export function describeVendors(
  adapters: readonly Adapter[],
  is: { readonly configured: (slug: string) => boolean; readonly simulated: (slug: string) => boolean } = {
    configured: () => true,
    simulated: () => false,
  },
): VendorDescription[] {
  return adapters
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    .map((adapter) => {
      const kinds = DEVICE_TYPES.flatMap((type): [DeviceType, AnyKind][] => {
        const kind = adapter.kinds[type];
        return kind === undefined ? [] : [[type, kind]];
      });
      return {
        slug: adapter.slug,
        name: adapter.name,
        device_types: kinds.map(([type]) => type),
        capabilities: Object.fromEntries(kinds.map(([type, kind]) => [type, capabilitiesOfKind(kind)])),
        timed_commands: Object.fromEntries(
          kinds.map(([type, { timed }]) => [type, TIMED_TYPES.filter((command) => timed?.[command])]),
        ),
        set_points: Object.fromEntries(
          kinds.map(([type, { setPoints }]) => [
            type,
            SET_POINT_TYPES.filter((command) => setPoints?.[command]),
          ]),
        ),
        linking: {
          method: adapter.oauth === undefined ? ('credentials' as const) : ('oauth' as const),
          schema: adapter.credentials,
          ...(adapter.oauth === undefined
            ? {}
            : { authorize_path: `/oauth/${adapter.slug}/authorize`, scopes: scopesOf(adapter) }),
        },
        configured: is.configured(adapter.slug),
        simulated: is.simulated(adapter.slug),
        pushes: adapter.pushes,
      };
    });
}
