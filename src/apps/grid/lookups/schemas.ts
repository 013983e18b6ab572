import Type from 'typebox';
import { nullable, PriceArea } from '../responses/schemas.ts';

const Confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: '0 to 1, two decimals',
  examples: [0.97],
});
const Source = Type.String({
  description: 'Sources of the data; name them where you show it',
  examples: ['GeoNames; eSett Open Data'],
});
const Note = Type.Optional(
  Type.String({
    description: 'A remark about the result, if there is one',
    examples: ['Several grid areas meet here'],
  }),
);
const Lat = nullable(Type.Number({ description: 'WGS84 degrees', examples: [59.33] }));
const Lon = nullable(Type.Number({ description: 'WGS84 degrees', examples: [18.06] }));
const PostalCode = Type.String({ pattern: '^\\d{5}$', examples: ['11122'] });
const PlaceName = Type.String({ examples: ['Stockholm'] });
const Eic = Type.Union([Type.String(), Type.Null()], { examples: [null] });

const Coded = Type.Object({
  code: Type.String({ description: 'Four digits for a municipality, two for a county, as text' }),
  name: Type.String(),
});
const Municipality = Type.Object(Coded.properties, {
  title: 'Coded',
  examples: [{ code: '0180', name: 'Stockholm' }],
});
const County = Type.Object(Coded.properties, {
  title: 'Coded',
  examples: [{ code: '01', name: 'Stockholms län' }],
});

const EnergyTax = Type.Object(
  {
    rate_ore_per_kwh: Type.String({ description: 'öre per kWh without VAT, decimal', examples: ['36'] }),
    rate_ore_per_kwh_incl_vat: Type.String({
      description: 'öre per kWh with 25 % VAT, decimal',
      examples: ['45'],
    }),
    reduced: Type.Boolean({
      description: 'Whether the municipality has the reduced rate of northern Sweden',
      examples: [false],
    }),
    valid_from: Type.String({ format: 'date', examples: ['2026-01-01'] }),
  },
  { title: 'EnergyTax', description: 'Rate for households and services today' },
);

const Owner = Type.Object(
  {
    id: nullable(Type.String({ description: 'National operator id (Ediel id)', examples: ['14900'] })),
    name: Type.String({ examples: ['Ellevio AB'] }),
  },
  { title: 'GridOwner' },
);

const GridAreaCandidate = Type.Object(
  {
    code: Type.String({ description: 'Code of the metering grid area, such as STH', examples: ['STH'] }),
    name: PlaceName,
    eic: Eic,
    elomrade: PriceArea,
    owner: Owner,
    confidence: Confidence,
  },
  { title: 'GridAreaCandidate' },
);
const Candidates = Type.Array(GridAreaCandidate, {
  description: 'Grid areas that may supply the place, most likely first; may be empty',
});

const Situated = {
  kommun: Municipality,
  lan: County,
  elomrade: PriceArea,
  grid_areas: Candidates,
  energy_tax: nullable(EnergyTax),
};

export const PostalAnswer = Type.Object(
  {
    postal_code: PostalCode,
    ort: PlaceName,
    ...Situated,
    source: Source,
    confidence: Confidence,
    note: Note,
  },
  { title: 'PostalCode' },
);

export const GridAreaAnswer = Type.Object(
  {
    grid_areas: Type.Array(
      Type.Object(
        {
          code: Type.String({ examples: ['STH'] }),
          name: PlaceName,
          type: Type.String({
            examples: ['DISTRIBUTION'],
            description: 'DISTRIBUTION, REGIONAL, TRANSMISSION, PRODUCTION, BORDER or NONCON',
          }),
          eic: Eic,
          elomrade: PriceArea,
          owner: Owner,
          municipalities: Type.Array(Type.Object({ ...Coded.properties, confidence: Confidence }), {
            description:
              'Municipalities that the area may supply, by its name; most likely first, empty if unknown',
          }),
        },
        { title: 'GridArea' },
      ),
    ),
    source: Source,
  },
  { title: 'GridAreas' },
);

export const Place = Type.Object(
  {
    ort: PlaceName,
    kommun: Municipality,
    lan: County,
    elomrade: PriceArea,
    postal_codes: Type.Array(PostalCode),
    lat: Lat,
    lon: Lon,
    score: Type.Number({ minimum: 0, maximum: 1 }),
  },
  { title: 'Place' },
);

export const PlaceAnswer = Type.Object(
  {
    matches: Type.Array(
      Type.Object(
        {
          ...Place.properties,
          energy_tax: nullable(EnergyTax),
          grid_areas: Candidates,
          note: Note,
        },
        { title: 'PlaceMatch' },
      ),
    ),
    source: Source,
  },
  { title: 'PlaceMatches' },
);

export const AddressAnswer = Type.Object(
  {
    resolved_by: Type.String({ enum: ['postnr', 'ort', 'geocoder'] }),
    confidence: Confidence,
    postal_code: nullable(PostalCode),
    ort: nullable(PlaceName),
    kommun: nullable(Municipality),
    lan: nullable(County),
    elomrade: nullable(PriceArea),
    lat: Lat,
    lon: Lon,
    grid_areas: Candidates,
    energy_tax: nullable(EnergyTax),
    matches: Type.Array(
      Type.Object(
        {
          postal_code: nullable(PostalCode),
          ort: PlaceName,
          ...Situated,
          lat: Lat,
          lon: Lon,
          confidence: Confidence,
        },
        { title: 'AddressMatch' },
      ),
      { description: 'Most likely first. A field above is null where they differ' },
    ),
    source: Source,
    note: Note,
  },
  { title: 'Address' },
);

export const CoordinateAnswer = Type.Object(
  {
    lat: Type.Number({ examples: [59.33] }),
    lon: Type.Number({ examples: [18.06] }),
    elomrade: PriceArea,
    distance_m: Type.Integer({
      examples: [0],
      minimum: 0,
      description: 'Distance to the price area, metres; 0 inside it, more off the coast',
    }),
    ort: nullable(PlaceName),
    postal_code: nullable(PostalCode),
    kommun: Municipality,
    lan: County,
    grid_areas: Candidates,
    energy_tax: nullable(EnergyTax),
    source: Source,
    confidence: Confidence,
    note: Note,
  },
  { title: 'Coordinate' },
);

export const PriceAreas = Type.Array(
  Type.Object(
    { code: PriceArea, name: PlaceName, eic: Type.String({ examples: ['10Y1001A1001A46L'] }) },
    { title: 'NamedPriceArea' },
  ),
);

export const GridOwners = Type.Array(
  Type.Object(
    {
      ...Owner.properties,
      grid_areas: Type.Array(Type.String({ examples: ['STH'] }), {
        description: 'Codes of all its grid areas',
      }),
      elomraden: Type.Array(PriceArea),
    },
    { title: 'GridOwnerWithAreas' },
  ),
);

export const TaxAnswer = Type.Object(
  {
    kommun: Municipality,
    date: Type.String({ format: 'date' }),
    energy_tax: EnergyTax,
    is_forecast: Type.Boolean({
      examples: [false],
      description: 'Whether the rate of the year is unknown, so the latest known one is returned',
    }),
    rates: Type.Array(
      Type.Object(
        { ...EnergyTax.properties, valid_until: nullable(Type.String({ format: 'date' })) },
        { title: 'EnergyTaxRate' },
      ),
      {
        description: 'All known rates of the municipality, oldest first; valid_until is excluded',
      },
    ),
    source: Source,
    note: Note,
  },
  { title: 'EnergyTaxOfDay' },
);
