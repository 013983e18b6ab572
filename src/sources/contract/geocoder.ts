/** Position of a street address from a geocoder. */
export interface GeocodedAddress {
  /** WGS84 degrees. */
  readonly lat: number;
  readonly lon: number;
  /** Five digits, or null. */
  readonly postal_code: string | null;
  /** City, town, village or suburb, or null. */
  readonly ort: string | null;
  /** What was found: the house, only its street, or a wider area. */
  readonly precision: 'house' | 'street' | 'area';
}

export interface AddressQuery {
  readonly street: string;
  readonly city: string | undefined;
  readonly postalCode: string | undefined;
}

/** Finds a Swedish address; null when it is not found. Throws an `HttpFailure` when the geocoder is unreachable. */
export type Geocode = (query: AddressQuery) => Promise<GeocodedAddress | null>;
