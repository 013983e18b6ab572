/** Where a street address lies, as a geocoder knows it. */
export interface GeocodedAddress {
  /** WGS84 degrees. */
  readonly lat: number;
  readonly lon: number;
  /** Five digits; null where it does not say. */
  readonly postal_code: string | null;
  /** City, town, village or suburb; null where it does not say. */
  readonly ort: string | null;
  /** What was found: the house itself, its street alone, or something wider. */
  readonly precision: 'house' | 'street' | 'area';
}

export interface AddressQuery {
  readonly street: string;
  readonly city: string | undefined;
  readonly postalCode: string | undefined;
}

/** Finds a Swedish address; null when it is not known. Throws an `HttpFailure` when the geocoder cannot be asked. */
export type Geocode = (query: AddressQuery) => Promise<GeocodedAddress | null>;
