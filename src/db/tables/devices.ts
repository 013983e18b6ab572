import type { Generated } from 'kysely';

interface Devices {
  account_id: number;
  vendor: string;
  id: string;
  link_id: string;
  user_ref: string;
  device_type: string;
  name: string | null;
  capabilities_json: string;
  details_json: string;
  created_at: number;
  state_json: string | null;
  limits_json: string | null;
  available_capacity_json: string | null;
  observed_at: number | null;
  fetched_at: number | null;
  /** The vendor's plant or home that it belongs to. */
  site: string | null;
  /** What a meter measures of a house; null for every other device. */
  measures: string | null;
  /** What its user permits, where that is known and matters. */
  granted_json: string | null;
  /** Since when the vendor's device lists have left it out. */
  missing_since: number | null;
  /** When fields were so that the vendor reported by themselves. */
  reported_json: string | null;
  /** `tx` of its last event. */
  logged_tx: number | null;
  /** Whether it was plugged in when that was last known: 1 or 0. */
  plugged: number | null;
  /** Its open interventions and those of its link, as `GET /devices` shows them; null without any. */
  interventions_json: string | null;
}

/** What only the user can do; open until the vendor says that it is done. */
interface Interventions {
  account_id: number;
  id: string;
  link_id: string;
  vendor: string;
  /** Null: it is of the link, and so of each of its devices. */
  device_id: string | null;
  device_type: string | null;
  code: string;
  capabilities_json: string;
  opened_at: number;
  resolved_at: number | null;
}

/** Accepted commands, and the queue that runs commands of a device one at a time across processes. */
interface Commands {
  account_id: number;
  id: string;
  vendor: string;
  device_id: string;
  key_id: string;
  request_id: string | null;
  command_json: string;
  /** running, done, failed, unknown */
  status: string;
  error: string | null;
  requested_at: number;
  finished_at: number | null;
  lease_until: number;
}

/** What a device was commanded to hold by a command of a type, until it is released. */
interface SetPoints {
  account_id: number;
  vendor: string;
  device_id: string;
  command_type: string;
  link_id: string;
  /** Another one with each command: work on an older one is dropped. */
  version: string;
  /** sending, held, paused, releasing, released */
  state: string;
  /** What is in force, as it is sent. */
  command_json: string;
  /** The command that is being sent, or was when the process died. */
  next_json: string | null;
  key_id: string;
  since: number;
  /** When it was last sent. */
  renewed_at: number;
  until: number | null;
  /** 1: the device ends it at `until`. */
  ends_by_itself: number;
  /** How long after it was last sent the device ends it. */
  revert_ms: number | null;
  due_at: number;
  failures: number;
  error: string | null;
  releasing_since: number | null;
  /** Why it is released. */
  reason: string | null;
  /** When the link was made that is deleted once its set-points are released. */
  removes_link_of: number | null;
  /** Since when it could be neither renewed nor released. */
  failing_since: number | null;
  /** 1: its gateway has what releases it, and does so when it loses us. */
  has_will: number;
}

/** When a device is polled next. */
interface DevicePolls {
  id: Generated<number>;
  account_id: number;
  link_id: string;
  /** Empty for all devices of the link, at vendors that are polled for them together. */
  device_id: string;
  vendor: string;
  /** Until when an instance has claimed it; after that the instance is treated as dead. */
  due_at: number;
  /** `due_at` before the claim. */
  planned_at: number | null;
  interval_s: number;
  failures: number;
  /** When a change was reported, until it has been read. */
  hinted_at: number | null;
  /** Polled more often until then, after a command. */
  active_until: number | null;
}

/** When the devices of a link are listed again. */
interface LinkLists {
  account_id: number;
  link_id: string;
  vendor: string;
  due_at: number;
  failures: number;
  /** When the latest valid list was requested. */
  listed_at: number;
}

/** The instance that holds the stream of a link. */
interface LinkStreams {
  account_id: number;
  link_id: string;
  vendor: string;
  holder: string | null;
  held_until: number;
  open_since: number | null;
}

/** Devices, how they are controlled, and how they are followed. */
export interface DeviceTables {
  devices: Devices;
  interventions: Interventions;
  commands: Commands;
  device_polls: DevicePolls;
  link_streams: LinkStreams;
  link_lists: LinkLists;
  set_points: SetPoints;
}
