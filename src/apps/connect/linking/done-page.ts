import type { Adapter, NextStep } from '../../../adapter/adapter.ts';
import { DEVICE_WORDS } from '../../../adapter/login.ts';
import { translated } from '../../../core/language.ts';
import type { DeviceRow } from '../../../domain/devices/devices/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { appOf, backTo, type LinkStep, linkPage, makersOf, type Reader, steps } from './frame.ts';
import { markOf } from './mark.ts';
import { reachOf } from './reach.ts';
import { shown } from './shown.ts';
import { callName } from './vendors.ts';

const WORDS = translated({
  en: {
    title: (vendor: string) => `${vendor} is connected`,
    found: (count: number) => (count === 1 ? 'We found one device:' : `We found ${count} devices:`),
    more: (count: number) => `and ${count} more`,
    soon: (app: string) => `It can take a minute before the first figures show in ${app}.`,
    left: 'What is left to do',
    online: 'Online',
    offline: 'Cannot be reached right now',
    none: 'No devices were found there.',
    noneNext: (vendor: string, app: string) =>
      `Check in ${vendor}’s own app that your device is there, and that you signed in with the right account. Then connect it again from ${app}.`,
    dialsIn: 'Almost done',
    dialsInNext: 'In your charger’s settings, enter this address (OCPP, central system or back office):',
    dialsInThen: (app: string) =>
      `Enter the identity and the password from the last page there, too. The charger shows in ${app} as soon as it has connected.`,
    reach: {
      machine: (makers: string) =>
        `Your charger cannot reach this address: it works on this computer only. Contact ${makers}.`,
      network: (makers: string) =>
        `Your charger reaches this address only if it is in the same network. If it is elsewhere, contact ${makers}.`,
    },
    expected: 'Waiting for your charger …',
    expectedNext: 'This page shows when it has connected.',
    station: 'Your charger is connected',
    copy: 'Copy',
    copied: 'Copied',
    close: 'You can close this page.',
    waiting: 'Connecting',
    waitingNext: 'There is no response yet. This page checks again automatically.',
    again: 'Check again',
  },
  sv: {
    title: (vendor: string) => `${vendor} är ansluten`,
    found: (count: number) => (count === 1 ? 'Vi hittade en enhet:' : `Vi hittade ${count} enheter:`),
    more: (count: number) => `och ${count} till`,
    soon: (app: string) => `Det kan ta en minut innan de första värdena syns i ${app}.`,
    left: 'Det här återstår',
    online: 'Uppkopplad',
    offline: 'Går inte att nå just nu',
    none: 'Inga enheter hittades där.',
    noneNext: (vendor: string, app: string) =>
      `Kontrollera i appen från ${vendor} att din enhet finns där och att du loggade in med rätt konto. Anslut den sedan en gång till från ${app}.`,
    dialsIn: 'Nästan klart',
    dialsInNext:
      'Skriv in den här adressen i laddboxens inställningar (OCPP, centralsystem eller backoffice):',
    dialsInThen: (app: string) =>
      `Skriv också in identiteten och lösenordet från förra sidan där. Laddboxen syns i ${app} så snart den har anslutit.`,
    reach: {
      machine: (makers: string) =>
        `Laddboxen når inte den här adressen: den fungerar bara på den här datorn. Kontakta ${makers}.`,
      network: (makers: string) =>
        `Laddboxen når den här adressen bara om den är i samma nätverk. Är den någon annanstans, kontakta ${makers}.`,
    },
    expected: 'Väntar på din laddbox …',
    expectedNext: 'Sidan visar när den har anslutit.',
    station: 'Din laddbox är ansluten',
    copy: 'Kopiera',
    copied: 'Kopierad',
    close: 'Du kan stänga den här sidan.',
    waiting: 'Ansluter',
    waitingNext: 'Det har inte kommit något svar än. Sidan kontrollerar igen automatiskt.',
    again: 'Kontrollera igen',
  },
});

/** Between two looks at whether a station has connected. */
const LOOK_AGAIN_SECONDS = 3;
/** More are counted, not listed. */
const MOST_LISTED = 50;
const LONGEST_NAME = 80;

interface DonePage {
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'calledIn' | 'conditions' | 'dialIn'> & Partial<Adapter>;
  readonly steps: readonly LinkStep[];
  /** The page itself. */
  readonly href: string;
  readonly devices: readonly DeviceRow[];
  /** What the user still has to do, elsewhere. */
  readonly nextSteps: readonly NextStep[];
  /** Address at which stations dial in. */
  readonly dialInAddress: string;
  /** The app, with what came of it; null without one. */
  readonly backHref: string | null;
}

/** What was found, and the way back to the app. */
export function donePage(reader: Reader, page: DonePage): string {
  const { adapter, devices, backHref } = page;
  const words = WORDS[reader.language];
  const name = callName(adapter, reader.language);
  // Whoever links a station does not hear from it before it has been told where to.
  const isExpected = adapter.dialIn !== undefined && devices.every(({ snapshot: seen }) => seen === null);
  const found = adapter.dialIn === undefined ? words.title(name) : words.station;
  const title = isExpected ? words.dialsIn : found;
  const isPrimary = devices.length > 0 && page.nextSteps.every(({ isAtDevice }) => isAtDevice);
  return linkPage(reader, {
    title,
    main: html`${steps(reader, page.steps, 'done')}
<div class="vendor-head">${markOf(adapter)}<h1>${title}</h1></div>
${isExpected ? dialsIn(reader, page) : devices.length === 0 ? nothingFound(reader, name) : foundDevices(reader, devices)}
${
  page.nextSteps.length === 0
    ? null
    : html`<section class="stack" aria-labelledby="left"><h2 class="left" id="left">${words.left}</h2>${page.nextSteps.map((step) => nextStep(reader, step))}</section>`
}
${
  backHref === null
    ? html`<p>${words.close}</p>`
    : html`<p><a class="${isPrimary ? 'button button-primary button-wide' : 'button button-wide'}" href="${backHref}">${backTo(reader)}</a></p>`
}`,
  });
}

/** In another tab: the way back to the app stays open. */
function nextStep({ language }: Reader, { url, words, isAtDevice }: NextStep): Html {
  const { title, text } = words[language];
  if (isAtDevice)
    return html`<div class="notice notice-note"><p>${text}</p><p><a href="${url}" target="_blank" rel="noopener">${title}</a></p></div>`;
  return html`<div class="notice notice-note"><p>${text}</p></div>
<p><a class="button button-primary button-wide" href="${url}" target="_blank" rel="noopener">${title}</a></p>`;
}

function foundDevices(reader: Reader, devices: readonly DeviceRow[]): Html {
  const words = WORDS[reader.language];
  const listed = devices.slice(0, MOST_LISTED);
  return html`<p class="notice notice-good">${words.found(devices.length)}</p>
<ul class="found">${listed.map((device) => foundDevice(reader, device))}</ul>
${devices.length > listed.length ? html`<p class="soft">${words.more(devices.length - listed.length)}</p>` : null}
<p class="soft">${words.soon(appOf(reader))}</p>`;
}

function foundDevice({ language }: Reader, { name, type, snapshot: seen }: DeviceRow): Html {
  const words = WORDS[language];
  const kind = DEVICE_WORDS[language][type].one;
  const called = shown(name ?? '', LONGEST_NAME);
  const isOnline = seen?.state.online;
  return html`<li><span class="found-text"><bdi class="found-name">${called === '' ? capitalized(kind) : called}</bdi>${called === '' ? null : html`<span class="found-kind">${capitalized(kind)}</span>`}</span>${
    isOnline === undefined
      ? null
      : html`<span class="${isOnline ? 'tag tag-good' : 'tag'}">${isOnline ? words.online : words.offline}</span>`
  }</li>`;
}

function nothingFound(reader: Reader, vendor: string): Html {
  const words = WORDS[reader.language];
  return html`<div class="notice notice-note"><p><strong>${words.none}</strong></p><p>${words.noneNext(vendor, appOf(reader))}</p></div>`;
}

/** Where the station is to dial in. The script of the page looks again until it has; without it there is a link to do so. */
function dialsIn(reader: Reader, { dialInAddress, href }: DonePage): Html {
  const words = WORDS[reader.language];
  const reach = reachOf(dialInAddress);
  return html`<p>${words.dialsInNext}</p><p class="code-line" data-copy="${words.copy}" data-copied="${words.copied}"><code>${dialInAddress}</code></p>
${
  reach === 'everywhere'
    ? null
    : html`<div class="${reach === 'machine' ? 'notice notice-bad' : 'notice notice-note'}"><p>${words.reach[reach](makersOf(reader))}</p></div>`
}
<p>${words.dialsInThen(appOf(reader))}</p>
<div class="notice notice-note expected" data-look-again="${LOOK_AGAIN_SECONDS}"><p><strong>${words.expected}</strong></p><p>${words.expectedNext} <a href="${href}">${words.again}</a></p></div>`;
}

/** While another tab, or the click before, is still at it. */
export function waitingPage(reader: Reader, href: string): string {
  const words = WORDS[reader.language];
  return linkPage(reader, {
    title: words.waiting,
    main: html`<h1>${words.waiting}</h1><p class="lead">${words.waitingNext}</p><p><a class="button" href="${href}">${words.again}</a></p>`,
  });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
