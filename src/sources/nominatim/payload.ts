import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const text = Type.Optional(Type.String());

/** The used fields of a result; Nominatim sends more, and positions as text. */
const Result = Type.Object({
  lat: Type.Union([Type.String(), Type.Number()]),
  lon: Type.Union([Type.String(), Type.Number()]),
  place_rank: Type.Optional(Type.Number()),
  address: Type.Optional(
    Type.Object({
      house_number: text,
      city: text,
      town: text,
      village: text,
      hamlet: text,
      suburb: text,
      postcode: text,
      country_code: text,
    }),
  ),
});
export type Result = Static<typeof Result>;

const check = Compile(Type.Array(Result));

export function isResults(value: unknown): value is Result[] {
  return check.Check(value);
}
