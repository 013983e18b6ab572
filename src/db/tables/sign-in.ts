/** Row 0 belongs to no account and is used for unknown addresses. */
interface Passwords {
  account_id: number;
  /** Argon2id in the PHC string format. */
  phc: string;
  /** Consecutive wrong passwords. */
  failures: number;
  updated_at: number;
}

/** Signed-in sessions of the pages. */
interface WebSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  account_id: number;
  created_at: number;
  expires_at: number;
  /** password, link */
  signed_in_by: string;
}

/** Sessions of the console; each ends with the session that it comes from. */
interface ConsoleSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  session_sha256: string;
  expires_at: number;
}

/** Codes by which a browser that is signed in to Grid is handed over to the console; using one deletes it. */
interface ConsoleCodes {
  /** A hash of the code, hex. */
  sha256: string;
  session_sha256: string;
  /** A hash of the cookie of the browser that asked. */
  browser_sha256: string;
  expires_at: number;
}

/** Sign-in links that were mailed, or would have been; using one deletes it. */
interface MagicLinks {
  /** A hash of the link's token, hex. */
  sha256: string;
  email: string;
  /** Null for an address without an account. */
  account_id: number | null;
  /** sign_in, sign_up */
  purpose: string;
  expires_at: number;
  /** A hash of the cookie of the browser that asked. */
  browser_sha256: string | null;
  /** The details for the new account. */
  pending_name: string | null;
  pending_phc: string | null;
}

/** Sessions of the operator's pages that began with the admin token. */
interface OperatorSessions {
  /** A hash of the cookie's value, hex. */
  sha256: string;
  /** A keyed hash of the admin token, hex, and the id of its key. */
  token_key: string;
  token_hash: string;
  created_at: number;
  used_at: number;
}

/** Sessions that may change something: of the admin token, or of a person with the role. */
interface OperatorChanges {
  session_sha256: string;
  expires_at: number;
}

/** Forms of the operator's pages that were sent; each is carried out once. */
interface OperatorForms {
  token: string;
  sent_at: number;
}

/** How people and operators sign in. */
export interface SignInTables {
  passwords: Passwords;
  web_sessions: WebSessions;
  console_sessions: ConsoleSessions;
  console_codes: ConsoleCodes;
  operator_sessions: OperatorSessions;
  operator_changes: OperatorChanges;
  operator_forms: OperatorForms;
  magic_links: MagicLinks;
}
