import Type from 'typebox';

const Email = Type.String({ format: 'email', maxLength: 254, description: 'Email address' });
const Password = (rest: object) => Type.String({ maxLength: 1024, ...rest });
const Next = Type.String({
  default: '',
  maxLength: 500,
  description: 'Path of this service that a browser is redirected to afterwards',
});

export const SignInBody = Type.Object(
  {
    email: Email,
    password: Password({ description: 'At most 1,024 bytes' }),
    next: Type.Optional(Next),
  },
  { title: 'SignIn' },
);

export const SignUpBody = Type.Object(
  {
    email: Email,
    password: Type.Optional(
      Password({
        default: '',
        description:
          'At least 15 characters and at most 1,024 bytes; without it, sign-in works by emailed links only',
      }),
    ),
    name: Type.Optional(Type.String({ default: '', maxLength: 200 })),
    next: Type.Optional(Next),
  },
  { title: 'SignUp' },
);

export const MagicBody = Type.Object(
  { email: Email, next: Type.Optional(Next) },
  { title: 'SignInLinkRequest' },
);

export const Profile = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    name: Type.String(),
    tier: Type.String(),
  },
  { title: 'Profile' },
);

export const SignedInResponse = Type.Object(
  { status: Type.Literal('signed_in'), ...Profile.properties },
  { title: 'SignedIn', description: 'The cookie elnav_session is set' },
);
export const SentResponse = Type.Object(
  { status: Type.Literal('sent') },
  { title: 'Sent', description: 'The same whether or not the address has an account' },
);
export const SignedOutResponse = Type.Object({ status: Type.Literal('signed_out') }, { title: 'SignedOut' });

export const TokenPath = Type.Object({ token: Type.String({ description: 'From the emailed link' }) });
