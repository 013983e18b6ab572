/** The processes that share the database, as each says of itself; those that have ended without removing their row are dead. */
interface Instances {
  /** `Database.instance`. */
  id: string;
  /** Separated by spaces: connect, grid. */
  services: string;
  version: string;
  host: string;
  pid: number;
  started_at: number;
  seen_at: number;
  /** How it is: `InstanceReport` of `domain/instances`. */
  report_json: string;
}

/** Leases: work that one of several processes does, and until when it holds the lease. */
interface Leases {
  name: string;
  holder: string;
  until: number;
}

/** The processes that share the database. */
export interface InstanceTables {
  instances: Instances;
  leases: Leases;
}
