import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { brandSheet, brandSheetHref, colorOfFile, contrast, lightened, readableOn } from './brand-color.ts';

const PAPER = '#121714';
const RAISED = '#1a211d';
const colors = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe("a brand's colour", () => {
  it("a brand's colour has the contrast that WCAG computes", () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#123456', '#123456'), 1);
    // The examples of WebAIM's checker.
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
    assert.equal(contrast('#ffffff', '#0000ff').toFixed(2), '8.59');
  });

  it("a brand's colour has readable text on it, whatever it is", () => {
    fc.assert(
      fc.property(colors, (color) => {
        assert.ok(contrast(color, readableOn(color)) >= 4.5);
        const onDark = lightened(color, RAISED);
        assert.ok(contrast(onDark, readableOn(onDark)) >= 4.5);
        assert.ok(contrast(onDark, RAISED) >= 3 && contrast(onDark, PAPER) >= 3);
      }),
    );
  });

  it("a brand's colour stays unchanged when its contrast suffices", () => {
    assert.equal(lightened('#6fd3b0', RAISED), '#6fd3b0');
    assert.notEqual(lightened('#0b2d48', RAISED), '#0b2d48');
  });

  it("a brand's colour has its own style sheet", () => {
    assert.equal(brandSheetHref('#0b5d48'), '/assets/brand/0b5d48.css');
    assert.equal(colorOfFile('0b5d48.css'), '#0b5d48');
    for (const file of ['0B5D48.css', '0b5d4.css', '0b5d48.css.css', '../base.css', '0b5d48', '0b5d48;}.css'])
      assert.equal(colorOfFile(file), undefined, file);
    const sheet = brandSheet('#ffe600');
    assert.match(
      sheet,
      /^:root\{--brand:#ffe600;--on-brand:#000000\}\n@media \(prefers-color-scheme: dark\)/,
    );
    fc.assert(
      fc.property(colors, (color) => {
        assert.match(brandSheet(color), /^(?:[^#]*#[0-9a-f]{6}){4}\}\}\n$/);
      }),
    );
  });
});
