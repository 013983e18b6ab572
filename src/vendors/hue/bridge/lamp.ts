import Type, { type Static } from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import { between, outOfRange } from '../../../adapter/commands.ts';
import { fits, objectIn, word } from '../../../adapter/kit/index.ts';
import type { JsonObject } from '../../../core/json.ts';
import { GAMUTS, inGamut, kelvinOf, mirekOf, type Rgb, xyOf } from './colour.ts';

/** What a lamp can show, and what is sent to it for a brightness and a colour. */

const Part = Type.Number({ minimum: 0, maximum: 1 });
export const XY = Type.Object({ x: Part, y: Part });
const Triangle = Type.Object({ red: XY, green: XY, blue: XY });
const Mirek = Type.Integer({ minimum: 1, maximum: 10_000 });
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const Ability = Type.Object({
  dims: Type.Boolean(),
  /** It has colours: those of its gamut, where that is known. */
  colours: Type.Boolean(),
  gamut: orNull(Triangle),
  /** The whites that it has, mirek. */
  whites: orNull(Type.Object({ min: Mirek, max: Mirek })),
});
export type Ability = Static<typeof Ability>;

const Schema = Type.Object({ mirek_minimum: Mirek, mirek_maximum: Mirek });

/** What a `light` resource can do: a plug neither dims nor has a colour. */
export function abilityIn(light: {
  readonly dimming?: unknown;
  readonly color?: unknown;
  readonly color_temperature?: unknown;
}): Ability {
  const { gamut, gamut_type, xy } = objectIn(light.color);
  const { mirek_schema: schema } = objectIn(light.color_temperature);
  const [own, usual] = [fits(Triangle, gamut) ? gamut : null, GAMUTS[word(gamut_type) ?? ''] ?? null];
  const hasWhites = fits(Schema, schema) && schema.mirek_minimum <= schema.mirek_maximum;
  return {
    dims: typeof objectIn(light.dimming).brightness === 'number',
    colours: fits(XY, xy),
    gamut: own ?? usual,
    whites: hasWhites ? { min: schema.mirek_minimum, max: schema.mirek_maximum } : null,
  };
}

export const isPlain = ({ dims, colours, whites }: Ability): boolean => !dims && !colours && whites === null;

/**
 * The body that sets a lamp: dimming to 0 switches it off, any other dimming on; a colour alone does neither. Throws
 * `command.out_of_range` for what it cannot show.
 */
export function bodyOf({ dim, color }: CommandOf<'set_light'>, ability: Ability, id: string): JsonObject {
  if (dim === undefined && color === undefined) throw outOfRange('set dim, color or both');
  between('dim', dim, { least: 0, most: 100 });
  const coloured = color === undefined ? {} : colouredBy(color, ability, id);
  if (dim === undefined) return coloured;
  // A lamp that is switched off takes no colour.
  if (dim === 0) return { on: { on: false } };
  if (!ability.dims) throw outOfRange(`${id} cannot be dimmed; set color alone`);
  return { on: { on: true }, dimming: { brightness: dim }, ...coloured };
}

function colouredBy(color: readonly number[], { colours, gamut, whites }: Ability, id: string): JsonObject {
  for (const part of color) between('each part of color', part, { least: 0, most: 255 });
  const [red = 0, green = 0, blue = 0] = color;
  const rgb: Rgb = [red, green, blue];
  const xy = xyOf(rgb);
  if (xy === null) throw outOfRange('black is no colour of a lamp; set dim to 0 or send turn_off');
  if (colours) {
    const { x, y } = gamut === null ? xy : inGamut(gamut, xy);
    return { color: { xy: { x: rounded(x), y: rounded(y) } } };
  }
  if (whites === null) throw outOfRange(`${id} has no colours; set dim alone`);
  const mirek = mirekOf(xy);
  if (mirek === null)
    throw outOfRange(
      `${id} has white light alone, from ${Math.round(kelvinOf(whites.max))} to ${Math.round(kelvinOf(whites.min))} K; color ${rgb.join(',')} is no white`,
    );
  return { color_temperature: { mirek: Math.round(Math.min(whites.max, Math.max(whites.min, mirek))) } };
}

/** As precise as the bridge is. */
const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
