import { randomBytes } from 'node:crypto';

/** A real MQTT broker that takes anybody, for tests; undefined where none is named. */
export const MQTT_URL = process.env.TEST_MQTT_URL;

/** For tests that need the broker: why they are left out, or false. */
export const withoutBroker: string | false =
  MQTT_URL === undefined ? 'TEST_MQTT_URL names no MQTT broker' : false;

/** A topic of this test alone. */
export const ownTopic = (): string => `elnav-tests/${randomBytes(8).toString('hex')}`;
