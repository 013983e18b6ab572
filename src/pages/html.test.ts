import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { flag, Html, html, type Part, trusted } from './html.ts';

const written = (markup: Html) => markup.toString();

describe('the template', () => {
  it('the template escapes text in elements and attributes', () => {
    const bad = `<script>alert("1")</script>' &`;
    const safe = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39; &amp;';
    assert.equal(written(html`<p title="${bad}">${bad}</p>`), `<p title="${safe}">${safe}</p>`);
  });

  it('the template leaves out what turns text around, and keeps text that is written from right to left', () => {
    const turned = 'Sol\u202egpj.exe\u202c \u2068שלום\u2069';
    assert.equal(
      written(html`<td title="${turned}">${turned}</td>`),
      '<td title="Solgpj.exe \u2068שלום\u2069">Solgpj.exe \u2068שלום\u2069</td>',
    );
  });

  it('the template writes numbers, lists and markup, and nothing for null, undefined and false', () => {
    const items = ['a', 'b<'].map((text) => html`<li>${text}</li>`);
    assert.equal(
      written(html`<ul>${items}</ul>${null}${undefined}${false}${0}`),
      '<ul><li>a</li><li>b&lt;</li></ul>0',
    );
    assert.equal(written(html`${trusted('<svg></svg>')}`), '<svg></svg>');
  });

  it('the template neutralizes addresses that would run a script', () => {
    for (const bad of [
      'javascript:alert(1)',
      ' JaVaScript:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
    ]) {
      assert.equal(written(html`<a href="${bad}">x</a>`), '<a href="#">x</a>', bad);
    }
    for (const good of ['/a?b=c:d', 'https://a.example/', 'mailto:a@b.example', '#x', '?next=a:b', './a:b'])
      assert.equal(written(html`<a href="${good}">x</a>`), `<a href="${good}">x</a>`);
  });

  it('the template refuses places where escaping is not safe', () => {
    const part: Part = 'x';
    for (const make of [
      () => html`<script>${part}</script>`,
      () => html`<style>${part}</style>`,
      () => html`<!-- ${part} -->`,
      () => html`<p title=${part}>`,
      () => html`<p title='${part}'>`,
      () => html`<p onclick="${part}">`,
      () => html`<p style="${part}">`,
      () => html`<${part}>`,
      () => html`<p ${part}>`,
      () => html`<p title="${html`<b>x</b>`}">`,
      () => html`<a href="${''}${part}">`,
      () => html`<p title='>' lang="${part}">`,
      () => html`<p `,
      () => html`<p ${flag('hidden', true)}`,
      () => html`<script>`,
    ])
      assert.throws(make, TypeError, make.toString());
  });

  it('the template accepts flags between attributes', () => {
    assert.equal(
      written(html`<input name="a" ${flag('required', true)} ${flag('checked', false)}>`),
      '<input name="a" required >',
    );
  });

  it('the template recognizes the place of a hole after others', () => {
    assert.equal(
      written(
        html`<a class="a ${'b"'} c" href="/x/${'<'}">${'>'}</a><script src="${'/a.js'}"></script>${'<'}`,
      ),
      '<a class="a b&quot; c" href="/x/&lt;">&gt;</a><script src="/a.js"></script>&lt;',
    );
  });

  it('the template keeps every text in its place', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const markup = written(html`<p title="${text}">${text}</p>`);
        assert.match(markup, /^<p title="[^"<>]*">[^<>]*<\/p>$/);
      }),
    );
  });

  it('the template cannot be bypassed', () => {
    assert.throws(() => new Html('<b>', Symbol('made here') as never), TypeError);
  });
});
