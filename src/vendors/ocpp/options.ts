/** Times and bounds of the station server. Tests shorten them; the service runs on `DEFAULTS`. */
export interface StationOptions {
  /** Stands in the remote start of a transaction: 1–20 characters (1.6 IdToken). */
  readonly idTag: string;
  /** How long a station has for the answer to a command. */
  readonly callTimeoutMs: number;
  /** How long it has for each question after it connected; a command waits behind one of these at most. */
  readonly learnTimeoutMs: number;
  /** How long a command waits for its turn before it is given up unsent. */
  readonly turnTimeoutMs: number;
  /** How long an acknowledged command waits for the station to tell that it took effect. */
  readonly settleMs: number;
  /** How long a station that booted may call a connector available before the transaction that ran there has ended. */
  readonly forgottenMs: number;
  /** How long a station that connected has for its BootNotification before it is taken for one that does not boot. */
  readonly bootMs: number;
  /** Between WebSocket pings; a peer that left one unanswered at the next is dead. */
  readonly pingMs: number;
  /** How long a closed connection may linger before its socket is destroyed. */
  readonly lingerMs: number;
  /** Messages of a station: a second in the long run, at once, and waiting before it is a flood. */
  readonly messagesPerSecond: number;
  readonly messagesBurst: number;
  readonly messagesBehind: number;
  /** Malformed messages in a row. */
  readonly badMessages: number;
  /** The largest frame, bytes. */
  readonly frameBytes: number;
  /** Takeovers of one link a minute; beyond it two stations fight over one identity. */
  readonly takeoversPerMinute: number;
  /** Wrong passwords a minute for one identity from one address. */
  readonly wrongPasswordsPerMinute: number;
  /** Sign-ins a minute from one address that fail, whatever the identity. */
  readonly failedSignInsPerMinute: number;
  /** How long a password waits to be compared once there were too many wrong ones. */
  readonly suspectMs: number;
}

export const DEFAULTS: StationOptions = {
  idTag: 'ELNAV',
  callTimeoutMs: 10_000,
  learnTimeoutMs: 4_000,
  turnTimeoutMs: 4_500,
  settleMs: 5_000,
  forgottenMs: 5 * 60_000,
  bootMs: 3_000,
  pingMs: 30_000,
  lingerMs: 2_000,
  messagesPerSecond: 20,
  messagesBurst: 100,
  messagesBehind: 100,
  badMessages: 10,
  frameBytes: 256 * 1024,
  takeoversPerMinute: 10,
  wrongPasswordsPerMinute: 10,
  failedSignInsPerMinute: 60,
  suspectMs: 1_000,
};

/** Asked of stations in BootNotification, seconds; the WebSocket ping finds a dead peer sooner. */
export const HEARTBEAT_SECONDS = 300;

/** Asked of stations while a transaction runs, seconds. */
export const METER_SECONDS = 30;
