import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openSmtp } from '../../test/kit/smtp.ts';
import { until } from '../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import { Secret } from '../core/secret.ts';
import { createMailer, type Deliver } from './mail.ts';
import { outboxDelivery } from './mail-outbox.ts';
import { smtpDelivery } from './mail-smtp.ts';

const LETTER = {
  to: 'anna@example.com',
  subject: 'Logga in på elnav',
  text: 'Öppna länken:\n\nhttps://elnav.example/auth/magic/verify/canary-token\n.\nHej\n',
  html: '<p>Öppna</p>',
  isCounted: true,
  isMailed: true,
};

function mailerOf(deliver: Deliver, clock: TurnedClock = turnedClock()) {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line: string) => lines.push(line) });
  const metrics = createMetrics();
  const outcomes = async () => {
    const { values } = await metrics.mails.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };
  return { mailer: createMailer({ deliver, clock, log, metrics }), clock, lines, outcomes };
}

describe('mail by a server', () => {
  let smtp: Awaited<ReturnType<typeof openSmtp>>;
  let deliver: Deliver;
  before(async () => {
    smtp = await openSmtp();
    deliver = smtpDelivery({ smtpUrl: new Secret(smtp.url), from: 'elnav@example.com' });
  });
  after(() => smtp.cut());

  it('mail by a server is delivered as text and as a page, to one address', async () => {
    const { mailer, outcomes } = mailerOf(deliver);
    mailer.send(LETTER);
    await until('the letter is taken', () => smtp.emails.length === 1);
    const [letter] = smtp.emails;
    assert.deepEqual([letter?.from, letter?.to], ['<elnav@example.com>', '<anna@example.com>']);
    const data = letter?.data ?? '';
    assert.match(data, /^From: elnav@example.com\r$/m);
    assert.match(data, /^Subject: =\?UTF-8\?Q\?Logga_in_p=C3=A5_elnav\?=\r$/m);
    assert.match(data, /^Auto-Submitted: auto-generated\r$/im);
    assert.match(data, /Content-Type: text\/plain; charset=utf-8/);
    assert.match(data, /Content-Type: text\/html; charset=utf-8/);
    assert.match(data.replaceAll('=\r\n', ''), /auth\/magic\/verify\/canary-token/);
    await until('it is counted', async () => (await outcomes()).sent === 1);
    assert.equal(mailer.fault(), null);
  });

  it('mail by a server has no header or receiver that an address brings along', async () => {
    const { mailer } = mailerOf(deliver);
    const seen = smtp.emails.length;
    mailer.send({ ...LETTER, to: 'a@example.com,b@example.com' });
    mailer.send({ ...LETTER, to: 'c@example.com\r\nBcc: d@example.com' });
    mailer.send(LETTER);
    await until('the good one is taken', () =>
      smtp.emails.some(({ to }, at) => at >= seen && to.includes('anna')),
    );
    for (const { to, data } of smtp.emails.slice(seen)) {
      assert.doesNotMatch(data, /^bcc:/im);
      assert.doesNotMatch(to, /^<[bd]@/);
    }
  });

  it('mail by a server is tried again while the server is unreachable or busy, and says so meanwhile', async () => {
    const { mailer, clock, lines, outcomes } = mailerOf(deliver);
    const seen = smtp.emails.length;
    smtp.cut();
    mailer.send(LETTER);
    await until('the first try fails', () => mailer.fault() !== null);
    assert.match(mailer.fault() ?? '', /could not be delivered \(ECONNECTION\)|\(ESOCKET\)|ECONNREFUSED/);
    await smtp.restore();
    smtp.answers.data = '451 later';
    clock.turn(1_000);
    await until('the second try fails', async () => (await outcomes()).retried === 2);
    delete smtp.answers.data;
    clock.turn(4_999);
    assert.equal(smtp.emails.length, seen);
    clock.turn(1);
    await until('the letter is taken', () => smtp.emails.length > seen);
    await until('all is well', () => mailer.fault() === null);
    const text = lines.join('');
    assert.match(text, /a letter could not be delivered/);
    assert.ok(!text.includes('anna@') && !text.includes('canary-token'), text);
  });

  it('mail by a server opens the same connection where it goes to nobody, waits as long, and is not delivered', async () => {
    const { mailer, clock, lines, outcomes } = mailerOf(deliver);
    const [letters, connections] = [smtp.emails.length, smtp.connections()];
    mailer.send({ ...LETTER, isMailed: false });
    await until('it has connected', () => smtp.connections() === connections + 1);
    await mailer.close(1_000);
    smtp.cut();
    mailer.send({ ...LETTER, isMailed: false });
    await until('the next try fails', () => mailer.fault() !== null);
    await smtp.restore();
    clock.turn(1_000);
    await until('it is tried again', () => mailer.fault() === null);
    assert.equal(smtp.connections(), connections + 2);
    assert.equal(smtp.emails.length, letters);
    assert.deepEqual(await outcomes(), {}, 'no metric tells');
    assert.doesNotMatch(lines.join(''), /anna@|canary-token/);
  });

  it('mail by a server is given up at once when the server refuses the address', async () => {
    const { mailer, lines, outcomes } = mailerOf(deliver);
    smtp.answers.rcpt = '550 no such mailbox anna@example.com';
    mailer.send(LETTER);
    await until('it is given up', async () => (await outcomes()).failed === 1);
    delete smtp.answers.rcpt;
    assert.equal(mailer.fault(), null, 'the server is well');
    assert.match(lines.join(''), /refused a letter/);
    assert.ok(!lines.join('').includes('anna@'));
  });
});

describe('letters that wait', () => {
  it('letters that wait are given up after some tries', async () => {
    let tries = 0;
    const { mailer, clock, outcomes } = mailerOf(async () => {
      tries += 1;
      throw new Error('away');
    });
    mailer.send(LETTER);
    for (let wanted = 1; wanted <= 7; wanted += 1) {
      await until(
        `try ${wanted}`,
        async () => ((await outcomes()).retried ?? 0) + ((await outcomes()).failed ?? 0) === wanted,
      );
      clock.turn(600_000);
    }
    assert.equal(tries, 7);
    assert.deepEqual(await outcomes(), { retried: 6, failed: 1 });
  });

  it('letters that wait are delivered a few at a time, and before the process ends, if it does not take long', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const { mailer, clock } = mailerOf(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      running -= 1;
    });
    for (let index = 0; index < 9; index += 1) mailer.send(LETTER);
    let isClosed = false;
    const closed = mailer.close(1_000).then(() => {
      isClosed = true;
    });
    await until('some are delivered', () => {
      ends.shift()?.();
      return ends.length === 0 && running === 0;
    });
    await closed;
    assert.deepEqual([most, isClosed], [4, true]);

    const hanging = mailerOf(() => new Promise(() => {}), clock);
    hanging.mailer.send(LETTER);
    const given = hanging.mailer.close(1_000);
    clock.turn(1_000);
    await given;
  });

  it('letters that wait are no more than a thousand', async () => {
    const { mailer, outcomes } = mailerOf(() => new Promise(() => {}));
    for (let index = 0; index < 1_010; index += 1) mailer.send(LETTER);
    assert.deepEqual(await outcomes(), { failed: 6 });
  });
});

describe('the outbox', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'elnav-test-')), 'outbox');
  after(() => rmSync(join(folder, '..'), { recursive: true }));

  it('the outbox holds letters that people can read and nobody else can, for a day', async () => {
    const clock = turnedClock(Date.now());
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => lines.push(line) });
    const deliver = outboxDelivery({ folder, clock, random: systemRandom, log });
    await deliver({ ...LETTER, isMailed: false });
    assert.deepEqual(readdirSync(folder), [], 'nothing stays of one that goes to nobody');
    await deliver(LETTER);
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^From: .*\nTo: <anna@example.com>\nSubject: Logga in på elnav\nDate: /);
    assert.ok(text.endsWith(`\n\n${LETTER.text}`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.ok(lines.join('').includes(file) && !lines.join('').includes('canary'));

    writeFileSync(join(folder, 'notes.txt'), 'not a letter');
    const old = Date.now() / 1000 - 86_401;
    for (const one of [file, join(folder, 'notes.txt')]) utimesSync(one, old, old);
    await Promise.all([deliver(LETTER), deliver(LETTER)]);
    assert.deepEqual(
      readdirSync(folder).filter((one) => one === name),
      [],
    );
    assert.equal(readdirSync(folder).length, 3);
  });
});
