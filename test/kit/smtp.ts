import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** An email as a mail server received it. */
export interface ReceivedEmail {
  readonly from: string;
  readonly to: string;
  /** Headers and body as sent. */
  readonly data: string;
}

/** The responses of the server; `data` after an email. */
export interface SmtpAnswers {
  rcpt?: string;
  data?: string;
}

/** A mail server on a socket (RFC 5321), with the commands that a client needs. */
export async function openSmtp() {
  const emails: ReceivedEmail[] = [];
  const sockets = new Set<Socket>();
  const answers: SmtpAnswers = {};
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    let from = '';
    let to = '';
    let isData = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const command = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') from = line.slice(10);
      if (verb === 'RCPT') to = line.slice(8);
      if (verb === 'DATA') isData = true;
      say(
        { EHLO: '250 mail.example', DATA: '354 go on', RCPT: answers.rcpt, QUIT: '221 bye' }[verb] ??
          '250 ok',
      );
    };
    socket.on('data', (part) => {
      text += String(part);
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const piece = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (!isData) {
          command(piece);
          continue;
        }
        isData = false;
        const answer = answers.data ?? '250 taken';
        if (answer.startsWith('2')) emails.push({ from, to, data: piece });
        say(answer);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    say('220 mail.example ESMTP');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    /** The number of connections so far. */
    connections: () => connections,
    answers,
    /** Unreachable: nothing listens until it is restored. */
    cut,
    async restore() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
