import { readFileSync, writeFileSync } from 'node:fs';
import { openBrowser } from '../test/kit/chromium.ts';

/*
 * Draws `favicon.ico` from `icon.svg`, for browsers without SVG support: `npm run favicon`, with TEST_CHROMIUM set to a
 * Chromium. The file holds PNGs, as every browser of the last fifteen years reads them.
 */

const FOLDER = 'src/pages/styles';
const SIZES = [16, 32, 48];
const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;

async function draw(svg: string): Promise<Buffer[]> {
  const browser = await openBrowser();
  try {
    const pictures: Buffer[] = [];
    for (const size of SIZES) {
      const page = await browser.newPage({ viewport: { width: size, height: size } });
      const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
      await page.setContent(
        `<body style="margin:0;background:none"><img src="${source}" width="${size}" height="${size}" style="display:block">`,
      );
      pictures.push(await page.screenshot({ omitBackground: true }));
      await page.close();
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

/** An icon file: a directory with one entry per picture, then the pictures. */
function packed(pictures: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(HEADER_BYTES + ENTRY_BYTES * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, picture] of pictures.entries()) {
    const at = HEADER_BYTES + ENTRY_BYTES * index;
    const size = SIZES[index] ?? 0;
    head.writeUInt8(size, at);
    head.writeUInt8(size, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(picture.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += picture.length;
  }
  return Buffer.concat([head, ...pictures]);
}

const icon = packed(await draw(readFileSync(`${FOLDER}/icon.svg`, 'utf8')));
writeFileSync(`${FOLDER}/favicon.ico`, icon);
console.log(`wrote ${FOLDER}/favicon.ico, ${icon.length} bytes`);
