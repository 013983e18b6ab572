import type { JsonObject } from '../../core/json.ts';

/** Tesla's regions: Europe, Middle East and Africa; North America and Asia-Pacific; China. */
export const REGIONS = ['eu', 'na', 'cn'] as const;
export type Region = (typeof REGIONS)[number];

/** Base addresses of the Fleet API, which are also the audiences of its tokens. */
export const AUDIENCES: { readonly [R in Region]: string } = {
  eu: 'https://fleet-api.prd.eu.vn.cloud.tesla.com',
  na: 'https://fleet-api.prd.na.vn.cloud.tesla.com',
  cn: 'https://fleet-api.prd.cn.vn.cloud.tesla.cn',
};

/**
 * By the names that requests give. Commands have a base address of their own: cars that take signed commands alone are sent
 * them through a vehicle-command proxy.
 */
export const HOSTS = {
  api: AUDIENCES.eu,
  api_na: AUDIENCES.na,
  api_cn: AUDIENCES.cn,
  commands: AUDIENCES.eu,
  commands_na: AUDIENCES.na,
  commands_cn: AUDIENCES.cn,
} as const;

export function hostOf(what: 'api' | 'commands', region: Region): keyof typeof HOSTS {
  return region === 'eu' ? what : `${what}_${region}`;
}

export const regionOfHost = (host: string | undefined): Region =>
  REGIONS.find((region) => host?.endsWith(`_${region}`)) ?? 'eu';

/** Where linking found the device. */
export const regionOf = (details: JsonObject): Region =>
  REGIONS.find((region) => region === details.region) ?? 'eu';

/** The region that Tesla names, by its word or by its address; undefined when it is none of these. */
export function regionNamed(stated: {
  readonly region?: unknown;
  readonly fleet_api_base_url?: unknown;
}): Region | undefined {
  const address = String(stated.fleet_api_base_url).replace(/\/$/, '');
  return REGIONS.find((region) => region === stated.region || AUDIENCES[region] === address);
}
