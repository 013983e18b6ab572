import { makeContents, makeCopyable } from './parts/contents.ts';
import { makeCallable } from './parts/try-out.ts';

for (const tools of document.querySelectorAll<HTMLElement>('.contents-tools')) tools.hidden = false;
for (const hint of document.querySelectorAll<HTMLElement>('.without-scripts')) hint.hidden = true;
// Open the details element that the address links to.
const openTarget = () => {
  const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();
makeContents();
makeCopyable();
makeCallable();
