import Type from 'typebox';
import { CREATORS, faultInBannedAddress } from '../../../domain/access/accounts/index.ts';
import { Moment, nullable } from '../responses/schemas.ts';

/** Counts fit whatever the database and a double hold exactly, with room to multiply. */
const MOST_CALLS = 1_000_000_000;

const calls = (description: string) => Type.Integer({ minimum: 1, maximum: MOST_CALLS, description });
const quota = (description: string) => Type.Integer({ minimum: 0, maximum: MOST_CALLS, description });

export const GlobalPolicy = Type.Object(
  {
    anon_per_ip_per_day: quota('Calls without a key from one IP address in a UTC day'),
    anon_global_per_day: quota('All calls without a key in a UTC day'),
  },
  { title: 'AnonymousQuotas' },
);

export const PolicyParameters = Type.Object({
  per_minute: calls('Calls a minute'),
  per_hour: calls('Calls an hour'),
  per_day: calls('Calls a UTC day'),
  burst: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_CALLS,
      default: 10,
      description: 'Calls at once; refilled at per_minute / 60 a second',
    }),
  ),
  auto_throttle_enabled: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Halve the rates for 10 minutes after 20 refused calls within a minute',
    }),
  ),
  most_links: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MOST_CALLS,
      default: 0,
      description: 'Links that the account may have; 0: as many as its tier has. Left out: it stays',
    }),
  ),
});

export const UserParameters = Type.Object({
  email: Type.String({ format: 'email' }),
  name: Type.Optional(Type.String({ default: '', maxLength: 200 })),
  tier: Type.Optional(
    Type.String({
      default: 'free',
      minLength: 1,
      maxLength: 64,
      description: 'free or pro; any other name is stored, with the limits of free',
    }),
  ),
});

/** Names what an administrator changes of an account. */
export const UserChangeParameters = Type.Object({
  email: Type.Optional(Type.String({ default: '', format: 'email', description: 'Left out: it stays' })),
  name: Type.Optional(Type.String({ default: '', maxLength: 200, description: 'Left out: it stays' })),
  tier: Type.Optional(
    Type.String({ default: '', minLength: 1, maxLength: 64, description: 'Left out: it stays' }),
  ),
  suspended: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: its API keys and its console are refused, and its background reads and deliveries pause; false ends that. Left out: it stays',
    }),
  ),
});

export const DeletionParameters = Type.Object({
  confirm: Type.String({
    maxLength: 254,
    description: 'The email address of the user. Not looked at once the user is being deleted',
  }),
});

export const BanParameters = Type.Object({
  ip: Type.String({ maxLength: 45, description: 'Of an IPv6 address its /64 network is banned' }),
  reason: Type.String({ minLength: 1, maxLength: 200 }),
  expires_at: Type.String({ description: 'RFC 3339, in the future' }),
});

export const KeyParameters = Type.Object({
  label: Type.Optional(Type.String({ default: '', maxLength: 200 })),
  scopes: Type.Optional(
    Type.String({ default: '', maxLength: 200, description: 'Separated by spaces; empty means all' }),
  ),
});

export const UserPath = Type.Object({ user_id: Type.Integer() });
export const KeyPath = Type.Object({ key_id: Type.String() });
export const BanPath = Type.Object({ ban_id: Type.Integer() });
export const PartnerPath = Type.Object({ application_id: Type.String() });

export const LimitParameter = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000, default: 200 })),
});

const PAGE = 1_000;

const filter = (description: string, maxLength = 200) =>
  Type.Optional(Type.String({ default: '', maxLength, description }));
const moment = (description: string) => Type.Optional(Type.String({ default: '', description }));
const cursorParameter = () =>
  Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: 'From the Link header of the previous page' }),
  );

export const UserFilters = Type.Object({
  search: filter('Part of the email address or of the name, or the id'),
  tier: filter('As it is stored', 64),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE, default: PAGE })),
  cursor: cursorParameter(),
});

export const AuditFilters = Type.Object({
  actor: filter(
    'As in user/7; admin is the admin token, setup the first start, command what was run on the machine',
  ),
  action: filter('As in key.revoked'),
  target: filter('As in user/7'),
  since: moment('RFC 3339; changes made then or later, by default all'),
  until: moment('RFC 3339; changes made before, by default all'),
  ...LimitParameter.properties,
  cursor: cursorParameter(),
});

/** What no keyword says of a time; '' stands for none. */
export const faultInMoment = (value: string): string | null =>
  value === '' || (/^\d{4}-\d\d-\d\dT/.test(value) && Number.isFinite(Date.parse(value)))
    ? null
    : 'it must be a time such as 2026-11-21T09:00:00Z';

export const BAN_RULES = {
  ip: faultInBannedAddress,
  expires_at: (value: string) => (value === '' ? 'it must be a time' : faultInMoment(value)),
};

export const AUDIT_RULES = { since: faultInMoment, until: faultInMoment };

const Policy = Type.Object(
  {
    per_minute: Type.Integer(),
    per_hour: Type.Integer(),
    per_day: Type.Integer(),
    burst: Type.Integer(),
    auto_throttle_enabled: Type.Boolean(),
    most_links: Type.Integer({ description: 'Links that the account may have' }),
    throttled_until: nullable(Moment),
    limited_as: Type.Optional(
      Type.Literal('free', {
        description:
          'If the account has no policy and its tier another name than free or pro: the tier whose limits apply',
      }),
    ),
  },
  { title: 'RatePolicy' },
);

export const UserPolicy = Type.Object(
  { user_id: Type.Integer(), ...Policy.properties },
  { title: 'UserPolicy' },
);

export const Key = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    scopes: Type.String({ description: 'Separated by spaces' }),
    created_at: Moment,
    last_used_at: nullable(Moment),
    revoked_at: nullable(Moment),
    created_by: nullable(
      Type.Enum([...CREATORS], {
        type: 'string',
        description: 'user: the account itself; admin; setup: npm run key or the first start',
      }),
    ),
  },
  { title: 'Key' },
);

export const NewKey = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    scopes: Type.String(),
    api_key: Type.String({ description: 'The key itself, shown only once' }),
  },
  { title: 'CreatedKey' },
);

export const SignInLinkParameters = Type.Object({
  next: Type.Optional(
    Type.String({
      default: '',
      maxLength: 500,
      description: 'Path of this service to go to afterwards; empty means the account',
    }),
  ),
});

export const SignInLink = Type.Object(
  {
    url: Type.String({ description: 'Signs in whoever opens it; it works once' }),
    expires_at: Moment,
  },
  { title: 'SignInLink' },
);

export const RoleParameters = Type.Object({
  role: Type.Enum(['operator', 'none'], {
    description: "operator: may use the operator's pages; none takes the role",
  }),
});

export const User = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    name: Type.String(),
    tier: Type.String(),
    role: nullable(Type.String({ description: "operator: may use the operator's pages" })),
    created_at: Moment,
    suspended_at: nullable(Moment),
    closing_since: nullable(
      Type.String({
        format: 'date-time',
        description:
          'The user is being deleted since then: nobody can use the account, and its address and name are not stored any more',
      }),
    ),
    policy: Policy,
    keys: Type.Array(Key),
  },
  { title: 'User' },
);

export const Usage = Type.Object(
  {
    user_id: nullable(Type.Integer()),
    key_id: nullable(Type.String()),
    service: Type.String(),
    route: Type.String(),
    status_class: Type.String({ description: '2xx, 4xx, …' }),
    count: Type.Integer(),
    day: Type.String({ format: 'date', description: 'UTC' }),
    throttled_until: nullable(Moment),
  },
  { title: 'Usage' },
);

export const Ban = Type.Object(
  {
    id: Type.Integer(),
    ip: Type.String({ description: 'An IPv4 address or an IPv6 /64 network' }),
    reason: Type.String(),
    created_at: Moment,
    expires_at: Moment,
  },
  { title: 'Ban' },
);

export const Application = Type.Object(
  {
    id: Type.String(),
    company: Type.String(),
    email: Type.String(),
    contact_name: nullable(Type.String()),
    website: nullable(Type.String()),
    use_case: nullable(Type.String()),
    vendors: Type.Array(Type.String()),
    status: Type.String({ description: 'received, approved or rejected' }),
    created_at: Moment,
    decided_at: nullable(Moment),
    user_id: nullable(Type.Integer()),
  },
  { title: 'PartnerApplication' },
);

export const ApprovedApplication = Type.Object(
  { ...Application.properties, key: NewKey },
  { title: 'ApprovedApplication' },
);

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Moment,
    actor: Type.String(),
    ip: Type.String(),
    request_id: Type.String(),
    action: Type.String(),
    target: Type.String(),
    detail: Type.Object({}, { additionalProperties: true }),
  },
  { title: 'AuditEntry' },
);
