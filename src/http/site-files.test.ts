import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { turnedClock } from '../core/clock.ts';
import { sendError } from './errors.ts';
import { addSiteFileRoutes } from './site-files.ts';

const NOW = Date.UTC(2026, 10, 22, 9, 30);
const NOTHING = { contact: undefined, privacyUrl: undefined, termsUrl: undefined, sourceUrl: undefined };

function server(contact: string | undefined, configuredUrl?: string) {
  const app = Fastify();
  app.setErrorHandler((error, request, reply) => sendError('connect', error, request, reply));
  const notForSearch = ['/link/', '/oauth/'];
  const site = { ...NOTHING, contact };
  addSiteFileRoutes(app, { site, clock: turnedClock(NOW), notForSearch, configuredUrl });
  return app;
}

describe('well-known files', () => {
  it('well-known files keep search engines from personal pages', async () => {
    const { headers, body } = await server(undefined).inject('/robots.txt');
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(body, 'User-agent: *\nDisallow: /link/\nDisallow: /oauth/\n');
  });

  it('well-known files name the contact for security reports, for less than a year', async () => {
    const plain = await server('mailto:security@example.com').inject('/.well-known/security.txt');
    assert.equal(plain.statusCode, 200);
    assert.equal(plain.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(
      plain.body,
      'Contact: mailto:security@example.com\nExpires: 2027-02-20T00:00:00.000Z\nPreferred-Languages: en, sv\n',
    );
    const url = 'https://connect.example';
    const { body } = await server('https://example.com/report', url).inject('/.well-known/security.txt');
    assert.match(body, /^Contact: https:\/\/example\.com\/report\n/);
    assert.match(body, /\nCanonical: https:\/\/connect\.example\/\.well-known\/security\.txt\n$/);
  });

  it('well-known files are missing without a configured contact', async () => {
    const missing = await server(undefined).inject('/.well-known/security.txt');
    assert.equal(missing.statusCode, 404);
    assert.match(missing.json().error, /^there is no contact for security reports/);
  });
});
