import type { Secret } from '../core/secret.ts';
import { type Deliver, MailRefused } from './mail.ts';

const CONNECT_MS = 10_000;
const SILENT_MS = 20_000;

/** Delivers by a mail server. Its client is loaded with the first letter. */
export function smtpDelivery({
  smtpUrl,
  from,
}: {
  readonly smtpUrl: Secret;
  readonly from: string;
}): Deliver {
  const load = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url: smtpUrl.reveal(),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: ReturnType<typeof load> | undefined;
  return async ({ to, subject, text, html, isMailed }) => {
    transport ??= load();
    const headers = { 'auto-submitted': 'auto-generated' };
    try {
      if (!isMailed) {
        // The same connection, greeting and sign-in.
        await (await transport).verify();
        return;
      }
      // As an object: an address is never read as a list.
      await (await transport).sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers,
      });
    } catch (error) {
      if (isRefusal(error)) throw new MailRefused('the mail server refused the letter', { cause: error });
      throw error;
    }
  };
}

/** 5xx to the letter or its address (RFC 5321, 4.2.1); a wrong password of ours is the operator's to mend. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false;
  return Number(error.responseCode) >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(String(error.code));
}
