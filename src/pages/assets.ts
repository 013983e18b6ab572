import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SiteSettings } from '../core/settings/site.ts';

/** A file that pages load. Its name contains a hash of its content, so that browsers may cache it forever. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** Style sheets and scripts in memory, and the operator's site settings, shared by all pages of a process. */
export interface Assets {
  /** Address of a style sheet by its name in `styles`. */
  style(name: string): string;
  /** Address of a built entry of `console`; undefined when it is not built; pages work without it. */
  script(name: string): string | undefined;
  readonly icon: string;
  /** The icon for clients that request /favicon.ico without reading a page. */
  readonly favicon: Asset;
  /** The file of a name below /assets/. */
  find(name: string): Asset | undefined;
  /** Whether the scripts are built. */
  readonly isBuilt: boolean;
  readonly site: SiteSettings;
}

interface Folders {
  /** Folder of the style sheets and icons. */
  readonly styles: string;
  /** Folder of Vite's output; may be missing. */
  readonly built: string;
}

const FAVICON = 'favicon.ico';

interface ManifestEntry {
  readonly file: string;
  readonly name?: string;
  readonly isEntry?: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads all files once; throws when a style sheet cannot be read. */
export async function loadAssets({ styles, built }: Folders, site: SiteSettings): Promise<Assets> {
  const bodies = new Map<string, Buffer>();
  const addresses = new Map<string, string>();
  const add = (name: string, body: Buffer): string => {
    bodies.set(name, body);
    return `/assets/${name}`;
  };

  for (const file of readdirSync(styles)) {
    if (file === FAVICON) continue;
    const body = readFileSync(join(styles, file));
    const [name = '', ending = ''] = file.split('.', 2);
    addresses.set(file, add(`${name}-${hash('sha256', body, 'hex').slice(0, 10)}.${ending}`, body));
  }

  const scripts = new Map<string, string>();
  const manifest = join(built, 'manifest.json');
  const isBuilt = existsSync(manifest);
  if (isBuilt) {
    const entries = Object.values(
      JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, ManifestEntry>,
    );
    for (const { file, name, isEntry } of entries) {
      const address = add(file, readFileSync(join(built, file)));
      if (isEntry === true && name !== undefined) scripts.set(name, address);
    }
  }

  const files = new Map(
    await Promise.all(
      Array.from(bodies, async ([name, body]) => [name, await compressed(body, typeOf(name))] as const),
    ),
  );
  const addressOf = (file: string): string => {
    const address = addresses.get(file);
    if (address === undefined) throw new TypeError(`there is no ${file} in ${styles}`);
    return address;
  };
  return {
    style: (name) => addressOf(`${name}.css`),
    script: (name) => scripts.get(name),
    icon: addressOf('icon.svg'),
    favicon: await compressed(readFileSync(join(styles, FAVICON)), 'image/vnd.microsoft.icon'),
    find: (name) => files.get(name),
    isBuilt,
    site,
  };
}

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** A body with its compressed forms, made once, on threads other than the main one. */
export async function compressed(body: Buffer, type: string): Promise<Asset> {
  const [asGzip, asBrotli] = await Promise.all([
    toGzip(body, { level: 9 }),
    toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ]);
  return { type, body, gzip: asGzip, brotli: asBrotli };
}

function typeOf(name: string): string {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined) throw new TypeError(`pages load no file such as ${name}`);
  return type;
}
