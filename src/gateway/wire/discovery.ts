import { isIP } from 'node:net';
import type { Json } from '../../core/json.ts';

/*
 * What Connect asks of a gateway's service `/discover`, and what it answers. The gateway knows no vendor: it reports what announces itself,
 * and which of the ports are open. Checked by hand, as wills are.
 */

export const DISCOVER = '/discover';

/** Ports that a gateway looks for, whatever Connect asks: of HTTP, TLS, Modbus, MQTT and OPC UA. */
const DISCOVERABLE_PORTS: readonly number[] = [80, 443, 502, 1502, 1883, 4840, 8080, 8883];

/** Instances that are reported; what a busy network of a company has. */
export const MOST_INSTANCES = 200;
/** Of all instances as JSON, so that the answer stays within `MOST_JSON_BYTES`. */
export const MOST_INSTANCES_BYTES = 120 * 1024;
/** Open ports that are reported. */
export const MOST_OPEN = 2_000;
/** Networks that are reported. */
export const MOST_NETWORKS = 64;

const MOST_SERVICES = 16;
const MOST_PORTS = 8;
/** Places that are excepted. */
export const MOST_EXCEPT = 1_000;
/** Some types are longer than the 15 characters that RFC 6763 permits. */
const SERVICE = /^_[A-Za-z0-9-]{1,63}\._tcp$/;

/** A TCP port at an IP address. */
export interface Open {
  readonly address: string;
  readonly port: number;
}

export interface Question {
  /** Types of DNS-SD (RFC 6763): `_shelly._tcp`. */
  readonly services: readonly string[];
  readonly ports: readonly number[];
  /** Places that are not connected to: a device there is linked, and may serve one client alone. */
  readonly except: readonly Open[];
}

/** What announces itself by DNS-SD. */
export interface Instance {
  readonly service: string;
  readonly name: string;
  readonly host: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly txt: Readonly<Record<string, string>>;
}

export interface Answer {
  /** Those whose ports were looked at. */
  readonly networks: readonly string[];
  readonly instances: readonly Instance[];
  readonly open: readonly Open[];
  /** False where the networks are too large, there was too little time, or more was there than is reported. */
  readonly is_complete: boolean;
}

const isPort = (port: unknown): boolean =>
  Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535;

/** Whether a value is a list of no more than so many, each as it should be. */
const isList = (value: unknown, most: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= most && value.every(isOne);

const isOpen = (one: unknown): boolean => {
  const { address, port } = Object(one) as Partial<Record<keyof Open, unknown>>;
  return typeof address === 'string' && isIP(address) !== 0 && isPort(port);
};

/** Undefined for what is no question; ports that no gateway looks for are left out. */
export function questionIn(json: Json): Question | undefined {
  const { services, ports, except } = Object(json) as Partial<Record<keyof Question, unknown>>;
  const isQuestion =
    isList(services, MOST_SERVICES, (one) => typeof one === 'string' && SERVICE.test(one)) &&
    isList(ports, MOST_PORTS, isPort) &&
    isList(except, MOST_EXCEPT, isOpen);
  if (!isQuestion) return undefined;
  const question = { services, ports, except } as Question;
  return { ...question, ports: question.ports.filter((port) => DISCOVERABLE_PORTS.includes(port)) };
}
