import Type from 'typebox';
import { PRICE_AREAS } from '../../adapter/market.ts';
import { nullable } from './shapes.ts';

export const PriceAreaCode = Type.String({ enum: [...PRICE_AREAS] });
const Confidence = Type.Number({ minimum: 0, maximum: 1, description: '0 to 1, two decimals' });
const Source = Type.String({ description: 'Who the data is from; name them where you show it' });
const Note = Type.Optional(Type.String({ description: 'What the figures alone do not say; often absent' }));
const Lat = nullable(Type.Number({ description: 'WGS84 degrees' }));
const PostalCode = Type.String({ pattern: '^\\d{5}$' });

export const Coded = Type.Object({
  code: Type.String({ description: 'Four digits for a municipality, two for a county, as text' }),
  name: Type.String(),
});

export const EnergyTax = Type.Object(
  {
    rate_ore_per_kwh: Type.String({ description: 'öre per kWh without VAT, decimal' }),
    rate_ore_per_kwh_incl_vat: Type.String({ description: 'öre per kWh with 25 % VAT, decimal' }),
    reduced: Type.Boolean({ description: 'Whether the municipality has the reduction of northern Sweden' }),
    valid_from: Type.String({ format: 'date' }),
  },
  { description: 'What households and services pay today' },
);

export const Owner = Type.Object({
  id: nullable(Type.String({ description: 'National operator id, which is the Ediel id' })),
  name: Type.String(),
});

export const GridAreaCandidate = Type.Object({
  code: Type.String({ description: 'Metering grid area, such as STH' }),
  name: Type.String(),
  eic: nullable(Type.String()),
  elomrade: PriceAreaCode,
  owner: Owner,
  confidence: Confidence,
});
const Candidates = Type.Array(GridAreaCandidate, {
  description: 'Grid areas that may supply the place, the likeliest first; empty where none can be named',
});

const Situated = {
  kommun: Coded,
  lan: Coded,
  elomrade: PriceAreaCode,
  grid_areas: Candidates,
  energy_tax: nullable(EnergyTax),
};

export const PostalAnswer = Type.Object({
  postal_code: PostalCode,
  ort: Type.String(),
  ...Situated,
  source: Source,
  confidence: Confidence,
  note: Note,
});

export const GridAreaAnswer = Type.Object({
  grid_areas: Type.Array(
    Type.Object({
      code: Type.String(),
      name: Type.String(),
      type: Type.String({
        description: 'DISTRIBUTION, REGIONAL, TRANSMISSION, PRODUCTION, BORDER or NONCON',
      }),
      eic: nullable(Type.String()),
      elomrade: PriceAreaCode,
      owner: Owner,
      municipalities: Type.Array(Type.Object({ ...Coded.properties, confidence: Confidence }), {
        description:
          'Where the area may supply somebody, by its name; the likeliest first, empty where not known',
      }),
    }),
  ),
  source: Source,
});

export const Place = Type.Object({
  ort: Type.String(),
  kommun: Coded,
  lan: Coded,
  elomrade: PriceAreaCode,
  postal_codes: Type.Array(PostalCode),
  lat: Lat,
  lon: Lat,
  score: Type.Number({ minimum: 0, maximum: 1 }),
});

export const PlaceAnswer = Type.Object({
  matches: Type.Array(
    Type.Object({
      ...Place.properties,
      energy_tax: nullable(EnergyTax),
      grid_areas: Candidates,
      note: Note,
    }),
  ),
  source: Source,
});

export const AddressAnswer = Type.Object({
  resolved_by: Type.String({ enum: ['postnr', 'ort', 'geocoder'] }),
  confidence: Confidence,
  postal_code: nullable(PostalCode),
  ort: nullable(Type.String()),
  kommun: nullable(Coded),
  lan: nullable(Coded),
  elomrade: nullable(PriceAreaCode),
  lat: Lat,
  lon: Lat,
  grid_areas: Candidates,
  energy_tax: nullable(EnergyTax),
  matches: Type.Array(
    Type.Object({
      postal_code: nullable(PostalCode),
      ort: Type.String(),
      ...Situated,
      lat: Lat,
      lon: Lat,
      confidence: Confidence,
    }),
    { description: 'The likeliest first; the fields above are what all of them agree on, else null' },
  ),
  source: Source,
  note: Note,
});

export const CoordinateAnswer = Type.Object({
  lat: Type.Number(),
  lon: Type.Number(),
  elomrade: PriceAreaCode,
  distance_m: Type.Integer({
    minimum: 0,
    description: "0 inside the price area's polygon, else how far away it is: off the coast",
  }),
  ort: nullable(Type.String()),
  postal_code: nullable(PostalCode),
  kommun: Coded,
  lan: Coded,
  grid_areas: Candidates,
  energy_tax: nullable(EnergyTax),
  source: Source,
  confidence: Confidence,
  note: Note,
});

export const PriceAreas = Type.Array(
  Type.Object({ code: PriceAreaCode, name: Type.String(), eic: Type.String() }),
);

export const GridOwners = Type.Array(
  Type.Object({
    ...Owner.properties,
    grid_areas: Type.Array(Type.String(), { description: 'Codes of all its grid areas, of every type' }),
    elomraden: Type.Array(PriceAreaCode),
  }),
);

export const TaxAnswer = Type.Object({
  kommun: Coded,
  date: Type.String({ format: 'date' }),
  energy_tax: EnergyTax,
  is_forecast: Type.Boolean({
    description: "Whether the day's year has no known rate yet, and the latest one stands in",
  }),
  rates: Type.Array(
    Type.Object({ ...EnergyTax.properties, valid_until: nullable(Type.String({ format: 'date' })) }),
    {
      description:
        'All known rates of the municipality, the oldest first; valid_until is the first day without',
    },
  ),
  source: Source,
  note: Note,
});
