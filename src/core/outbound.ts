import { AppError } from './errors.ts';

/**
 * Whether this process calls anything outside of the installation: vendors, devices, receivers of events, sources of prices, mail
 * servers. A copy of a database has the sign-ins of the original: two services that use them take them from each other.
 */
export interface Outbound {
  readonly isOn: boolean;
  /** Why it is off, and how it is switched on; undefined where it is on. */
  readonly whyOff: string | undefined;
  /** Throws `outbound.off` where it is off. */
  require(): void;
}

/** An operator has to switch them on, so there is no hurry. */
const RETRY_SECONDS = 3_600;

/** Calls are made. */
export const OUTBOUND_ON: Outbound = { isOn: true, whyOff: undefined, require() {} };

/** No call is made. @param why the reason, and how calls are switched on */
export const outboundOff = (why: string): Outbound => ({
  isOn: false,
  whyOff: why,
  require() {
    throw new AppError('outbound.off', why, { retryAfterSeconds: RETRY_SECONDS });
  },
});
